/// The transport for the channels of a Bluetooth radio.
package enum ChannelTransport: String, Hashable, Sendable, CaseIterable {
    /// L2CAP; GATT if this host or the peer has no LE credit-based channels.
    case automatic
    /// As automatic, and also offers GATT beside L2CAP, so that hosts without LE credit-based channels can reach this
    /// one.
    case both
    /// LE credit-based channels of L2CAP only.
    case l2cap
    /// GATT only, as on a host without LE credit-based channels.
    case gatt

    /// Whether GATT replaces L2CAP where L2CAP is unavailable.
    package var fallsBack: Bool { self == .automatic || self == .both }
}
