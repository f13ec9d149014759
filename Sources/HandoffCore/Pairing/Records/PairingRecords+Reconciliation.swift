package import HandoffCrypto
package import HandoffModel
package import HandoffWire

/// Reconciliation: how two devices determine later how a pairing has ended.
extension PairingRecords {
    /// The answer of the side that was asked how a pairing has ended.
    package enum Verdict: Hashable, Sendable {
        /// Both users have confirmed; the key is the advertising key of the answering side.
        case paired(AdvertisingKeyRecord)
        case notPaired
    }

    /// The consequences for one side once a pairing is reconciled.
    package struct Reconciliation: Hashable, Sendable {
        /// The record to keep from now on, or to drop if it is reconciled; nil when there was none.
        package let record: PairingRecord?
        /// The device to trust from now on, and its advertising key; nil when nothing changes.
        package let newlyTrusted: (peer: DeviceIdentity, key: AdvertisingKeyRecord)?

        package static func == (left: Reconciliation, right: Reconciliation) -> Bool {
            left.record == right.record && left.newlyTrusted?.peer == right.newlyTrusted?.peer
                && left.newlyTrusted?.key == right.newlyTrusted?.key
        }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(record)
        }
    }

    /// Returns the request that this device sends to the other side of a pairing.
    ///
    /// - Parameters:
    ///   - record: the pairing.
    ///   - key: this device's own advertising key.
    package static func request(for record: PairingRecord, _ key: AdvertisingKeyRecord) -> SettleRequest {
        SettleRequest(
            pairing: record.id.bytes,
            advertisingKey: record.status == .notPaired ? nil : key.rawRepresentation
        )
    }

    /// Returns the answer to a device that asks how a pairing has ended.
    ///
    /// - Parameters:
    ///   - request: the device's request, which includes its own outcome.
    ///   - device: the requesting device; the session has authenticated it.
    ///   - isTrusted: whether the device is trusted here.
    ///   - key: this device's own advertising key.
    package func verdict(
        on request: SettleRequest,
        from device: DeviceID,
        isTrusted: Bool,
        _ key: AdvertisingKeyRecord
    ) -> Verdict {
        guard request.advertisingKey != nil else { return .notPaired }
        guard !isTrusted else { return .paired(key) }
        // A device that was paired and is no longer trusted has been removed since.
        return record(of: request, from: device)?.status == .unconfirmed ? .paired(key) : .notPaired
    }

    /// Returns the consequences for the side that was asked, once the other side has acknowledged the answer.
    ///
    /// - Throws: ``HandoffError`` with `peerMisbehaved` for an invalid key.
    package func reconciliation(
        of request: SettleRequest,
        from device: DeviceID,
        isTrusted: Bool
    ) throws(HandoffError) -> Reconciliation {
        let record = record(of: request, from: device)
        guard let bytes = request.advertisingKey else {
            // The peer received our confirmation but reports that it sent none, so it cannot have completed the
            // pairing.
            guard let record, record.status != .paired else { return Reconciliation(record: record, newlyTrusted: nil) }
            return Reconciliation(record: record.withStatus(.notPaired, isReconciled: true), newlyTrusted: nil)
        }
        guard let record else { return Reconciliation(record: nil, newlyTrusted: nil) }
        guard isTrusted || record.status == .unconfirmed else {
            return Reconciliation(record: record.withStatus(.notPaired, isReconciled: true), newlyTrusted: nil)
        }
        return Reconciliation(
            record: record.withStatus(.paired, isReconciled: true),
            newlyTrusted: isTrusted ? nil : (record.peer, try Self.key(bytes))
        )
    }

    /// Returns the consequences for the side that asked.
    package func reconciliation(of record: PairingRecord, _ verdict: Verdict, isTrusted: Bool) -> Reconciliation {
        switch (verdict, record.status) {
        case (.paired(let key), .unconfirmed):
            Reconciliation(
                record: record.withStatus(.paired, isReconciled: true),
                newlyTrusted: isTrusted ? nil : (record.peer, key)
            )
        case (_, .paired): Reconciliation(record: record.withStatus(.paired, isReconciled: true), newlyTrusted: nil)
        // Whether the other side has learnt it shows only when it stops asking.
        case (_, .notPaired): Reconciliation(record: record, newlyTrusted: nil)
        case (.notPaired, .unconfirmed):
            Reconciliation(record: record.withStatus(.notPaired, isReconciled: true), newlyTrusted: nil)
        }
    }

    private static func key(_ bytes: [UInt8]) throws(HandoffError) -> AdvertisingKeyRecord {
        do {
            return try AdvertisingKeyRecord(rawRepresentation: bytes)
        } catch {
            throw HandoffError(.peerMisbehaved, error.message)
        }
    }
}
