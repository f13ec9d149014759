package import HandoffCrypto
package import HandoffModel
package import HandoffWire

/// Reconciliation: how two devices determine later how a pairing has ended.
///
/// The caller asks with ``request(for:)``; the listener answers with its ``verdict(on:from:isTrusted:during:_:)``.
/// Then each side writes what follows, and says so only afterwards: the caller with its acknowledgement
/// (``reconciliation(of:_:isTrusted:)``), the listener with its own (``reconciliation(of:from:_:isTrusted:key:)``). A caller
/// that has not heard that the listener has written it keeps its record (``concluded(_:)``), and asks again.
extension PairingRecords {
    /// The answer of the side that was asked how a pairing has ended.
    package enum Verdict: Hashable, Sendable {
        /// Both users have confirmed; the key is the advertising key of the answering side.
        case paired(AdvertisingKeyRecord)
        case notPaired
        /// The user of the answering side may still confirm: the question decides nothing.
        case undecided
    }

    /// The consequences for one side once a pairing is reconciled.
    package struct Reconciliation: Hashable, Sendable {
        /// A device to trust from now on, and its advertising key.
        package struct Addition: Hashable, Sendable {
            package let peer: DeviceIdentity
            package let key: AdvertisingKeyRecord
        }

        /// The record to keep from now on, or to drop if it is reconciled; nil when nothing changes.
        package let record: PairingRecord?
        /// The device to trust from now on; nil when nothing changes.
        package let newlyTrusted: Addition?

        init(record: PairingRecord?, newlyTrusted: Addition? = nil) {
            self.record = record
            self.newlyTrusted = newlyTrusted
        }
    }

    /// Returns the request that this device sends to the other side of a pairing.
    ///
    /// - Parameter record: the pairing.
    package static func request(for record: PairingRecord) -> SettleRequest {
        SettleRequest(pairing: record.id.bytes, isConfirmed: record.status != .notPaired)
    }

    /// Returns the answer to a device that asks how a pairing has ended.
    ///
    /// - Parameters:
    ///   - request: the device's request, which includes its own outcome.
    ///   - device: the requesting device; the session has authenticated it.
    ///   - isTrusted: whether the device is trusted here.
    ///   - activeRequest: the user's active request for pairing; nil when there is none.
    ///   - key: this device's own advertising key.
    package func verdict(
        on request: SettleRequest,
        from device: DeviceID,
        isTrusted: Bool,
        during activeRequest: ActivePairingRequest?,
        _ key: AdvertisingKeyRecord
    ) -> Verdict {
        let record = record(of: request, from: device)
        if let record, let activeRequest, !activeRequest.hasDecided(record) { return .undecided }
        guard request.isConfirmed else { return .notPaired }
        guard !isTrusted else { return .paired(key) }
        // A device that was paired and is no longer trusted has been removed since.
        return record?.status == .unconfirmed ? .paired(key) : .notPaired
    }

    /// Returns what the side that was asked writes once the other side has acknowledged the answer, which means that it has
    /// written its own.
    ///
    /// - Parameters:
    ///   - request: what the other side has asked.
    ///   - device: the other side.
    ///   - verdict: what was answered; the record here may have changed since.
    ///   - isTrusted: whether the other side is trusted here.
    ///   - key: the other side's advertising key, from its acknowledgement; nil when it has told none.
    /// - Throws: ``HandoffError`` with `peerMisbehaved` for an invalid key, or none where one is needed.
    package func reconciliation(
        of request: SettleRequest,
        from device: DeviceID,
        _ verdict: Verdict,
        isTrusted: Bool,
        key: [UInt8]?
    ) throws(HandoffError) -> Reconciliation {
        guard let record = record(of: request, from: device) else { return Reconciliation(record: nil) }
        switch (verdict, request.isConfirmed, record.status) {
        case (.undecided, _, _): return Reconciliation(record: nil)
        // A side that was paired had the other one's confirmation: nobody can take it back.
        case (_, false, .paired): return Reconciliation(record: nil)
        case (.paired, _, .unconfirmed):
            return Reconciliation(
                record: record.withStatus(.paired, isReconciled: true),
                newlyTrusted: isTrusted ? nil : Reconciliation.Addition(peer: record.peer, key: try Self.key(key))
            )
        case (.paired, _, _): return Reconciliation(record: record.withStatus(.paired, isReconciled: true))
        case (.notPaired, _, _): return Reconciliation(record: record.withStatus(.notPaired, isReconciled: true))
        }
    }

    /// Returns what the side that asked writes before it acknowledges the answer.
    ///
    /// The record stays: whether the other side has written the same is known only from its own acknowledgement.
    package func reconciliation(of record: PairingRecord, _ verdict: Verdict, isTrusted: Bool) -> Reconciliation {
        // The peer may have reconciled it in the other direction in the meantime.
        guard let record = self[record.id] else { return Reconciliation(record: nil) }
        switch (verdict, record.status) {
        case (.paired(let key), .unconfirmed):
            return Reconciliation(
                record: record.withStatus(.paired),
                newlyTrusted: isTrusted ? nil : Reconciliation.Addition(peer: record.peer, key: key)
            )
        case (.notPaired, .unconfirmed): return Reconciliation(record: record.withStatus(.notPaired))
        case (_, .paired), (_, .notPaired), (.undecided, _): return Reconciliation(record: nil)
        }
    }

    /// Returns what the side that asked writes once the other side has acknowledged that it has written the outcome.
    package func concluded(_ record: PairingRecord) -> Reconciliation {
        guard let record = self[record.id], record.status != .unconfirmed else { return Reconciliation(record: nil) }
        return Reconciliation(record: record.withStatus(record.status, isReconciled: true))
    }

    private static func key(_ bytes: [UInt8]?) throws(HandoffError) -> AdvertisingKeyRecord {
        guard let bytes else {
            throw HandoffError(.peerMisbehaved, "The device is paired, and has told no key.")
        }
        do {
            return try AdvertisingKeyRecord(rawRepresentation: bytes)
        } catch {
            throw HandoffError(.peerMisbehaved, error.message)
        }
    }
}
