package import HandoffCrypto

/// A record of a pairing that has reached the comparison of digits, from which both sides can later learn how it ended,
/// even when the last message was lost.
package struct PairingRecord: Hashable, Sendable {
    /// The outcome of the pairing, as far as this side knows.
    package enum Status: String, Hashable, Sendable {
        /// The local user has not confirmed the digits, and cannot any more once the record is used for reconciliation.
        case notPaired
        /// The local user has confirmed the digits; whether the remote user has is unknown.
        case unconfirmed
        /// Both users have confirmed the digits.
        case paired
    }

    package let id: PairingID
    /// The device on the other side.
    package let peer: DeviceIdentity
    /// The key under which the two devices find each other until this pairing is reconciled; nil when neither looks for
    /// the other any more, so that whoever takes it later recognizes no recorded advertisement.
    package let settlingKey: AdvertisingKey?
    package let status: Status
    /// Whether the other side is known to have the same outcome.
    package let isReconciled: Bool
    /// When the digits were shown, in microseconds since 1970.
    package let began: Int64

    package init(
        id: PairingID,
        peer: DeviceIdentity,
        settlingKey: AdvertisingKey?,
        status: Status,
        isReconciled: Bool = false,
        began: Int64
    ) {
        self.id = id
        self.peer = peer
        self.settlingKey = settlingKey
        self.status = status
        self.isReconciled = isReconciled
        self.began = began
    }

    /// The same pairing without the key under which the two devices find each other.
    package var withoutSettlingKey: PairingRecord {
        PairingRecord(
            id: id,
            peer: peer,
            settlingKey: nil,
            status: status,
            isReconciled: isReconciled,
            began: began
        )
    }

    /// Returns the same pairing with another status.
    package func withStatus(_ status: Status, isReconciled: Bool = false) -> PairingRecord {
        PairingRecord(
            id: id,
            peer: peer,
            settlingKey: settlingKey,
            status: status,
            isReconciled: isReconciled,
            began: began
        )
    }
}
