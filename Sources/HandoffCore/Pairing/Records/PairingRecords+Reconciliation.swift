package import HandoffCrypto
package import HandoffModel
package import HandoffWire

/// How two devices come to know later how a pairing has ended.
extension PairingRecords {
    /// How a pairing has ended for the side that was asked.
    package enum Verdict: Hashable, Sendable {
        /// Both people have confirmed; the key is the advertising key of the side that says so.
        case paired(AdvertisingKey)
        case notPaired
    }

    /// What follows for one side once a pairing is settled.
    package struct Reconciliation: Hashable, Sendable {
        /// What is remembered from then on; nil when nothing was and nothing is.
        package let record: PairingRecord?
        /// The device that is trusted from then on, and its advertising key; nil when nothing changes.
        package let newlyTrusted: (peer: PeerIdentity, key: AdvertisingKey)?

        package static func == (left: Reconciliation, right: Reconciliation) -> Bool {
            left.record == right.record && left.newlyTrusted?.peer == right.newlyTrusted?.peer
                && left.newlyTrusted?.key == right.newlyTrusted?.key
        }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(record)
        }
    }

    /// What this device asks the other side of a pairing.
    ///
    /// - Parameters:
    ///   - record: the pairing.
    ///   - key: this device's own advertising key.
    package static func request(for record: PairingRecord, _ key: AdvertisingKey) -> SettleRequest {
        SettleRequest(
            pairing: record.id.bytes,
            advertisingKey: record.status == .notPaired ? nil : key.rawRepresentation
        )
    }

    /// What this side says to a device that asks how a pairing has ended.
    ///
    /// - Parameters:
    ///   - request: what it asks, and how it stands there.
    ///   - device: who asks; the session has proved it.
    ///   - isTrusted: whether the device is trusted here.
    ///   - key: this device's own advertising key.
    package func verdict(
        on request: SettleRequest,
        from device: DeviceID,
        isTrusted: Bool,
        _ key: AdvertisingKey
    ) -> Verdict {
        guard request.advertisingKey != nil else { return .notPaired }
        guard !isTrusted else { return .paired(key) }
        // A device that was paired and is not trusted any more was removed since.
        return record(of: request, from: device)?.status == .unconfirmed ? .paired(key) : .notPaired
    }

    /// What follows for the side that was asked, once the other side has acknowledged the answer.
    ///
    /// - Throws: ``HandoffError`` with `peerMisbehaved` for a key that is none.
    package func reconciliation(
        of request: SettleRequest,
        from device: DeviceID,
        isTrusted: Bool
    ) throws(HandoffError) -> Reconciliation {
        let record = record(of: request, from: device)
        guard let bytes = request.advertisingKey else {
            // Who has our yes and says that it gave none: then it cannot have paired.
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

    /// What follows for the side that has asked.
    package func reconciliation(of record: PairingRecord, _ verdict: Verdict, isTrusted: Bool) -> Reconciliation {
        switch (verdict, record.status) {
        case (.paired(let key), .unconfirmed):
            Reconciliation(
                record: record.withStatus(.paired, isReconciled: true),
                newlyTrusted: isTrusted ? nil : (record.peer, key)
            )
        case (_, .paired): Reconciliation(record: record.withStatus(.paired, isReconciled: true), newlyTrusted: nil)
        case (_, .notPaired), (.notPaired, .unconfirmed):
            Reconciliation(record: record.withStatus(.notPaired, isReconciled: true), newlyTrusted: nil)
        }
    }

    private static func key(_ bytes: [UInt8]) throws(HandoffError) -> AdvertisingKey {
        do {
            return try AdvertisingKey(rawRepresentation: bytes)
        } catch {
            throw HandoffError(.peerMisbehaved, error.message)
        }
    }
}
