import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffTestVectors
import HandoffWire
import TestLimits
import Testing

@Suite("Vectors of sessions in which a pairing is reconciled", .endsWithin(minutes: 10))
struct ReconciliationVectorTests {
    struct Case: Codable, Equatable, Sendable {
        /// What a device knows of the pairing: `none`, `notPaired`, `unconfirmed` or `paired`, for the listener also
        /// `comparing`; and whether it trusts the other device.
        struct State: Codable, Equatable, Sendable {
            var status: String
            var isReconciled: Bool
            var trustsOther: Bool
        }

        var what: String
        var pairing: String
        var callerPublicKeys: String
        var listenerPublicKeys: String
        var callerAdvertisingKey: String
        var listenerAdvertisingKey: String
        var callerBefore: State
        var listenerBefore: State
        var session: VectorSession.Record
        var callerAfter: State
        var listenerAfter: State
    }

    private typealias Status = PairingRecord.Status

    /// One side of the pairing.
    private struct Side {
        let device: VectorDevice
        let key: AdvertisingKeyRecord
        let other: DeviceIdentity
        var record: PairingRecord?
        var trustsOther: Bool

        init(_ device: VectorDevice, other: VectorDevice, _ status: Status?, trusts: Bool, key number: UInt8) throws {
            self.device = device
            self.other = DeviceIdentity(publicKeys: other.keys.publicKeys, name: try DeviceName(other.name))
            key = AdvertisingKeyRecord(
                id: try AdvertisingKeyRecord.ID(bytes: [UInt8](repeating: number, count: 8)),
                daily: DailyKey(
                    key: try AdvertisingKey(rawRepresentation: [UInt8](repeating: number, count: 32)),
                    day: 19_678
                )
            )
            trustsOther = trusts
            guard let status else { return }
            record = PairingRecord(
                id: try #require(PairingID(bytes: pairing)),
                peer: self.other,
                settlingKey: try AdvertisingKey(rawRepresentation: [UInt8](repeating: 7, count: 32)),
                status: status,
                began: 0
            )
        }

        mutating func apply(_ reconciliation: PairingRecords.Reconciliation) {
            record = reconciliation.record ?? record
            if reconciliation.newlyTrusted != nil { trustsOther = true }
        }

        func state(isComparing: Bool = false) -> Case.State {
            Case.State(
                status: isComparing ? "comparing" : record?.status.rawValue ?? "none",
                isReconciled: record?.isReconciled ?? false,
                trustsOther: trustsOther
            )
        }
    }

    private static let pairing: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]

    private static func make(
        _ what: String,
        seed: UInt64,
        caller callerStatus: Status,
        listener listenerStatus: Status?,
        callerTrusts: Bool = false,
        listenerTrusts: Bool = false,
        isComparing: Bool = false
    ) throws -> Case {
        let (desk, lap) = (try VectorDevice(1, "desk"), try VectorDevice(2, "lap"))
        var caller = try Side(desk, other: lap, callerStatus, trusts: callerTrusts, key: 0x31)
        var listener = try Side(lap, other: desk, listenerStatus, trusts: listenerTrusts, key: 0x32)
        let before = (caller.state(), listener.state(isComparing: isComparing))
        var session = try VectorSession(desk.keys, lap.keys, seed: seed)
        let record = try #require(caller.record)
        let request = PairingRecords.request(for: record)
        try session.request(Request.settle(request).encode())
        let records = PairingRecords([listener.record].compactMap(\.self))
        let id = desk.keys.publicKeys.device
        let verdict = records.verdict(
            on: request,
            from: id,
            isTrusted: listener.trustsOther,
            during: isComparing ? ActivePairingRequest() : nil,
            listener.key
        )
        try session.answer(AnswerEnvelope(answer(verdict)).encode())
        caller.apply(
            PairingRecords([record]).reconciliation(of: record, verdict, isTrusted: caller.trustsOther)
        )
        let told: [UInt8]? = if case .paired = verdict { caller.key.rawRepresentation } else { nil }
        try session.acknowledge(by: .caller, Acknowledgement(advertisingKey: told).encode())
        if verdict != .undecided {
            let outcome = try records.reconciliation(
                of: request,
                from: id,
                verdict,
                isTrusted: listener.trustsOther,
                key: told
            )
            listener.apply(outcome)
            try session.acknowledge(by: .listener, Acknowledgement().encode())
            let saved = try #require(caller.record)
            caller.apply(PairingRecords([saved]).concluded(saved))
        }
        return Case(
            what: what,
            pairing: hex(pairing),
            callerPublicKeys: hex(desk.keys.publicKeys.rawRepresentation),
            listenerPublicKeys: hex(lap.keys.publicKeys.rawRepresentation),
            callerAdvertisingKey: hex(caller.key.rawRepresentation),
            listenerAdvertisingKey: hex(listener.key.rawRepresentation),
            callerBefore: before.0,
            listenerBefore: before.1,
            session: session.record,
            callerAfter: caller.state(),
            listenerAfter: listener.state(isComparing: isComparing)
        )
    }

    /// The answer that states a verdict.
    private static func answer(_ verdict: PairingRecords.Verdict) -> Answer {
        switch verdict {
        case .paired(let key): .settled(advertisingKey: key.rawRepresentation)
        case .notPaired: .refusal(Refusal(.notPaired, "The pairing was not confirmed here."))
        case .undecided: .refusal(Refusal(.busy, "The digits are still being compared here."))
        }
    }

    private static func file() throws -> VectorFile<Case> {
        VectorFile(
            about: """
                Sessions in which the caller asks how a pairing has ended (Docs/Protocol.md, "Reconciliation"), with what both \
                know before and after. The session has the form of session.json. Bytes are hexadecimal.
                """,
            cases: [
                try make("both have confirmed", seed: 41, caller: .unconfirmed, listener: .unconfirmed),
                try make(
                    "both have confirmed, which the listener knows",
                    seed: 42,
                    caller: .unconfirmed,
                    listener: .paired,
                    listenerTrusts: true
                ),
                try make(
                    "both have confirmed, which the caller knows",
                    seed: 43,
                    caller: .paired,
                    listener: .unconfirmed,
                    callerTrusts: true
                ),
                try make(
                    "the listener trusts the caller, and has no record any more",
                    seed: 44,
                    caller: .unconfirmed,
                    listener: nil,
                    listenerTrusts: true
                ),
                try make(
                    "the listener has not confirmed",
                    seed: 45,
                    caller: .unconfirmed,
                    listener: .notPaired
                ),
                try make("the caller has not confirmed", seed: 46, caller: .notPaired, listener: .unconfirmed),
                try make(
                    "the caller has not confirmed, though the listener is paired, which no honest device is then",
                    seed: 49,
                    caller: .notPaired,
                    listener: .paired,
                    listenerTrusts: true
                ),
                try make(
                    "the listener was paired and has removed the caller since",
                    seed: 47,
                    caller: .unconfirmed,
                    listener: .paired
                ),
                try make(
                    "the listener's user still compares the digits",
                    seed: 48,
                    caller: .unconfirmed,
                    listener: .notPaired,
                    isComparing: true
                ),
            ]
        )
    }

    @Test("The published reconciliations are what this code generates")
    func published() throws {
        let file = try Self.file()
        try file.storeIfAsked("reconciliation")
        #expect(try VectorFile<Case>.load("reconciliation") == file)
        // All requests have one length, and all answers; the listener acknowledges what it has decided.
        let lengths = Set(file.cases.map { $0.session.turns.map(\.paddedBytes) })
        #expect(lengths == [[64, 1024, 64], [64, 1024, 64, 64]])
        for pairing in file.cases where pairing.callerAfter.status == "paired" {
            #expect(pairing.listenerAfter.trustsOther && pairing.callerAfter.trustsOther, "\(pairing.what)")
        }
    }
}
