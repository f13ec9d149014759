package import HandoffCrypto

/// What a device remembers of a pairing in which people were asked to compare digits, so that both sides can come to
/// know how it has ended, even where the last message was lost.
package struct PairingRecord: Hashable, Sendable {
    /// How the pairing has ended, as far as this side knows.
    package enum Status: String, Hashable, Sendable {
        /// The person here has not said that the digits are the same, and will not any more once this is looked at.
        case notPaired
        /// The person here has said so, and nobody knows about the one there.
        case unconfirmed
        /// Both have said so.
        case paired
    }

    package let id: PairingID
    /// The device on the other side.
    package let peer: PeerIdentity
    /// The key under which the two find each other until this is settled.
    package let settlingKey: AdvertisingKey
    package let status: Status
    /// Whether the other side is known to know how it has ended.
    package let isReconciled: Bool
    /// When the digits were shown, in microseconds since 1970.
    package let began: Int64

    package init(
        id: PairingID,
        peer: PeerIdentity,
        settlingKey: AdvertisingKey,
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

    /// The same pairing, as it stands now.
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
