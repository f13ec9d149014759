import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffTestVectors
import HandoffWire
import TestLimits
import Testing

@testable import HandoffDaemon

@Suite("Vectors of sessions in which two devices exchange their circles", .endsWithin(minutes: 10))
struct CircleExchangeVectorTests {
    /// What a device knows before or after an exchange, as far as the exchange concerns it; in hexadecimal.
    struct State: Codable, Equatable, Sendable {
        var statements: [String]
        var digest: String
        /// The device's advertising key, its day and its identifier.
        var advertisingKey: String
        /// The identifiers of the advertising keys that it has had.
        var keyNumber: UInt16
        /// The key under which the other device seals directed advertisements to this one, and its day.
        var directedKey: String
        /// Whether the other device is trusted; if not, nothing of the following is kept.
        var trustsOther: Bool
        /// The advertising key of the other device.
        var otherAdvertisingKey: String?
        /// The key under which this device seals directed advertisements to the other one.
        var otherDirectedKey: String?
        /// The key of this device that the other one has.
        var knownKey: String?
        /// The digest of what the other device knows of this device's statements.
        var toldDigest: String?
    }

    struct Case: Codable, Equatable, Sendable {
        var what: String
        var callerPublicKeys: String
        var listenerPublicKeys: String
        var callerBefore: State
        var listenerBefore: State
        /// The advertising key that a device makes when it has to; random in a real device.
        var callerNewKey: String
        var listenerNewKey: String
        var session: VectorSession.Record
        /// How the session ends: `completed`, or which side closes it and why.
        var end: String
        var callerAfter: State
        var listenerAfter: State
    }

    /// The 17th of November 2023.
    private static let day: UInt32 = 19_678
    private static let slot = UInt64(day) * DailyKey.slotsPerDay + 10

    /// One side of an exchange: a device with keys that follow from its number.
    private struct Side {
        var devices: TrustedDevices
        let other: DeviceID
        /// The key that it makes when it has to; its number depends on what it has heard.
        private(set) var newKey: AdvertisingKeyRecord
        private let directedKey: DailyKey

        init(
            _ number: UInt8,
            _ device: VectorDevice,
            other: VectorDevice,
            _ statements: [SignedStatement],
            in directory: StateDirectory
        ) throws {
            self.other = other.keys.publicKeys.device
            let identity = Identity(keys: device.keys)
            newKey = .generate(day: day)
            directedKey = try Self.daily(number &+ 16)
            devices = try TrustedDevices(from: directory, for: identity, named: DeviceName(device.name), at: slot)
            devices.edit { contents in
                contents = CircleFile.Contents(of: identity, at: slot)
                contents.circle.join(statements)
            }
            newKey = key(try Self.daily(number &+ 8), 2)
            let (first, directedKey, id) = (key(try Self.daily(number), 1), directedKey, self.other)
            devices.edit { contents in
                (contents.ownKey, contents.keyNumber) = (first, 1)
                contents.peers[id]?.receivingKey = directedKey
            }
        }

        /// Returns the key of this device with that number, whose identifier has a fixed random part.
        func key(_ daily: DailyKey, _ number: UInt16) -> AdvertisingKeyRecord {
            let id = devices.keyIdentifiers.identifier(of: number, randomForTestVectors: 0x7777)
            return AdvertisingKeyRecord(id: id, daily: daily)
        }

        static func daily(_ byte: UInt8) throws -> DailyKey {
            DailyKey(key: try AdvertisingKey(rawRepresentation: [UInt8](repeating: byte, count: 32)), day: day)
        }

        /// Takes a message in; the key that the device may have made then is that of the vector.
        mutating func receive(_ message: CircleMessage) throws {
            let before = devices.ownKey
            _ = try devices.receive(message, from: other)
            guard devices.ownKey != before else { return }
            let number = try #require(devices.keyIdentifiers.number(of: devices.ownKey.id))
            self.newKey = key(self.newKey.daily, number)
            let newKey = self.newKey
            devices.edit { $0.ownKey = newKey }
        }

        var state: State {
            let (contents, peer) = (devices.contents, devices.contents.peers[other])
            return State(
                statements: contents.circle.statements.map { hex($0.bytes) },
                digest: hex(contents.circle.digest),
                advertisingKey: hex(contents.ownKey.rawRepresentation),
                keyNumber: contents.keyNumber,
                directedKey: hex(directedKey.rawRepresentation),
                trustsOther: peer != nil,
                otherAdvertisingKey: peer?.key.map { hex($0.rawRepresentation) },
                otherDirectedKey: peer?.sendingKey.map { hex($0.rawRepresentation) },
                knownKey: peer?.knownKey.map { hex($0.bytes) },
                toldDigest: peer?.toldDigest.map { hex($0) }
            )
        }
    }

    /// The devices and what they say.
    private struct Cast {
        let desk: VectorDevice
        let lap: VectorDevice
        let tab: VectorDevice
        let directory: StateDirectory

        init(in directory: StateDirectory) throws {
            self.directory = directory
            (desk, lap, tab) = (try VectorDevice(1, "desk"), try VectorDevice(2, "lap"), try VectorDevice(3, "Küche"))
        }

        func adds(_ one: VectorDevice, _ other: VectorDevice) -> SignedStatement {
            sign(one, .add(author: one.id, other.keys.publicKeys, name: other.name))
        }
        func removes(_ one: VectorDevice, _ other: VectorDevice) -> SignedStatement {
            sign(one, .remove(author: one.id, other.id))
        }
        func names(_ one: VectorDevice, _ other: VectorDevice, _ name: String) -> SignedStatement {
            sign(one, .name(author: one.id, other.id, version: 1, name))
        }
        private func sign(_ device: VectorDevice, _ statement: CircleStatement) -> SignedStatement {
            SignedStatement(statement, signedBy: device.keys.signing)
        }

        /// What two devices say after they were paired.
        var pair: [SignedStatement] { [adds(desk, lap), adds(lap, desk)] }
        /// The same with a third device that both know.
        var three: [SignedStatement] { pair + [adds(lap, tab), adds(tab, lap)] }

        /// Runs an exchange; `alter` changes the listener's answer on its way, as a lying device would send it.
        func exchange(
            _ what: String,
            seed: UInt64,
            _ callerKnows: [SignedStatement],
            _ listenerKnows: [SignedStatement],
            prepare: (inout Side, inout Side) throws -> Void = { _, _ in },
            alter: (inout CircleMessage) -> Void = { _ in }
        ) throws -> Case {
            var caller = try Side(0x21, desk, other: lap, callerKnows, in: directory)
            var listener = try Side(0x22, lap, other: desk, listenerKnows, in: directory)
            try prepare(&caller, &listener)
            let before = (caller.state, listener.state)
            var session = try VectorSession(desk.keys, lap.keys, seed: seed)
            let end = try Self.run(&caller, &listener, &session, alter)
            return Case(
                what: what,
                callerPublicKeys: hex(desk.keys.publicKeys.rawRepresentation),
                listenerPublicKeys: hex(lap.keys.publicKeys.rawRepresentation),
                callerBefore: before.0,
                listenerBefore: before.1,
                callerNewKey: hex(caller.newKey.rawRepresentation),
                listenerNewKey: hex(listener.newKey.rawRepresentation),
                session: session.record,
                end: end,
                callerAfter: caller.state,
                listenerAfter: listener.state
            )
        }

        /// Runs the session as the daemons do (`CircleUpdateService`, `SessionServer`); returns how it ends.
        private static func run(
            _ caller: inout Side,
            _ listener: inout Side,
            _ session: inout VectorSession,
            _ alter: (inout CircleMessage) -> Void
        ) throws -> String {
            try session.request(Request.circle(CircleRequest(digest: caller.devices.digest)).encode())
            var sent = try #require(listener.devices.message(for: listener.other, knowing: caller.devices.digest))
            alter(&sent)
            let answer = AnswerEnvelope(.circle(sent)).encode()
            try session.answer(answer)
            guard let envelope = try? AnswerEnvelope(decoding: answer), case .circle(let heard) = envelope.answer else {
                return "the caller closes: the answer is invalid"
            }
            try caller.receive(heard)
            guard let ours = caller.devices.message(for: caller.other, knowing: heard.digest) else {
                return "the caller closes: it does not trust the listener any more"
            }
            let minimum = MessagePadding.smallestAnswer
            try session.acknowledge(by: .caller, Acknowledgement(circle: ours).encode(), atLeast: minimum)
            try listener.receive(ours)
            guard let last = listener.devices.message(for: listener.other, knowing: ours.digest) else {
                return "the listener closes: it does not trust the caller any more"
            }
            try session.acknowledge(by: .listener, Acknowledgement(circle: last).encode(), atLeast: minimum)
            listener.devices.completeExchange(with: listener.other, sent: sent.digest, theirs: ours.digest)
            try caller.receive(last)
            caller.devices.completeExchange(with: caller.other, sent: ours.digest, theirs: last.digest)
            return "completed"
        }

        /// Lets both sides know each other's keys, as after an earlier exchange, and leaves their statements as they are.
        static func acquaint(_ caller: inout Side, _ listener: inout Side) throws {
            var (one, other) = (
                try #require(caller.devices.message(for: caller.other, knowing: nil)),
                try #require(listener.devices.message(for: listener.other, knowing: nil))
            )
            (one.statements, other.statements) = (nil, nil)
            (one.knownKey, other.knownKey) = (listener.devices.ownKey.id.bytes, caller.devices.ownKey.id.bytes)
            try caller.receive(other)
            try listener.receive(one)
        }
    }

    private static func cases(in directory: StateDirectory) throws -> [Case] {
        let cast = try Cast(in: directory)
        let (desk, lap, tab) = (cast.desk, cast.lap, cast.tab)
        var forged = cast.removes(tab, lap).bytes
        forged[forged.count - 1] ^= 1
        let dropped = [forged, [9, 9], cast.names(try VectorDevice(5, "stranger"), lap, "x").bytes]
        return [
            try cast.exchange(
                "the first exchange after a pairing",
                seed: 31,
                [cast.adds(desk, lap)],
                [cast.adds(lap, desk)]
            ),
            try cast.exchange(
                "nothing new: the statements are left out",
                seed: 32,
                cast.pair,
                cast.pair,
                prepare: Cast.acquaint
            ),
            try cast.exchange(
                "a device that only the listener knew, and a name that only the caller knew",
                seed: 33,
                cast.pair + [cast.names(desk, lap, "Büro")],
                cast.three,
                prepare: Cast.acquaint
            ),
            try cast.exchange(
                "a removal that only the caller knew",
                seed: 34,
                cast.three + [cast.removes(desk, tab)],
                cast.three,
                prepare: Cast.acquaint
            ),
            try cast.exchange(
                "the caller's state is an old copy: the listener has a key that the caller does not know",
                seed: 35,
                cast.pair,
                cast.pair,
                prepare: { caller, listener in
                    let (id, unknown) = (listener.other, caller.key(try Side.daily(0x77), 9))
                    listener.devices.edit { $0.peers[id]?.key = unknown }
                }
            ),
            try cast.exchange(
                "the listener tells an identifier with a higher number that the caller has not made, which is ignored",
                seed: 40,
                cast.pair,
                cast.pair,
                prepare: { caller, listener in
                    let made = caller.key(try Side.daily(0x77), 9)
                    let id = try AdvertisingKeyRecord.ID(bytes: made.id.bytes.dropLast() + [made.id.bytes[7] ^ 1])
                    let other = listener.other
                    listener.devices.edit { $0.peers[other]?.key = AdvertisingKeyRecord(id: id, daily: made.daily) }
                }
            ),
            try cast.exchange(
                "statements that are dropped: a bad signature, no statement, an author that nobody has added",
                seed: 36,
                cast.three,
                cast.three,
                alter: { $0.statements = cast.three.map(\.bytes) + dropped }
            ),
            try cast.exchange(
                "an advertising key of 43 bytes",
                seed: 37,
                cast.pair,
                cast.pair,
                alter: { $0.advertisingKey.removeLast() }
            ),
            try cast.exchange(
                "a removal of the listener, which the listener passes on",
                seed: 38,
                cast.three + [cast.adds(desk, tab)],
                cast.three + [cast.adds(desk, tab), cast.removes(tab, lap)]
            ),
            try cast.exchange(
                "a removal of the caller, which the caller passes on",
                seed: 39,
                cast.three + [cast.adds(desk, tab), cast.removes(tab, desk)],
                cast.three + [cast.adds(desk, tab)]
            ),
        ]
    }

    @Test("The published exchanges are what this code generates")
    func published() async throws {
        try await withTemporaryDirectory { path in
            try await StateDirectory.withDirectory(at: path) { directory in
                let file = VectorFile(
                    about: """
                        Sessions in which two devices exchange what they know of their circle (Docs/Circle.md, "Joining and \
                        exchanging"), with what both know before and after. The session has the form of session.json, and the \
                        day is \(Self.day). Bytes are hexadecimal; private and new keys are for testing.
                        """,
                    cases: try Self.cases(in: directory)
                )
                try file.storeIfAsked("exchange")
                #expect(try VectorFile<Case>.load("exchange") == file)
                #expect(file.cases.count { $0.end == "completed" } == 7)
                for exchange in file.cases where exchange.end == "completed" {
                    #expect(exchange.callerAfter.statements == exchange.listenerAfter.statements, "\(exchange.what)")
                    #expect(exchange.callerAfter.toldDigest == exchange.callerAfter.digest, "\(exchange.what)")
                }
            }
        }
    }
}

extension VectorDevice {
    fileprivate var id: DeviceID { keys.publicKeys.device }
}
