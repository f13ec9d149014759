/// What carries the channels of a Bluetooth radio.
package enum ChannelTransport: String, Hashable, Sendable, CaseIterable {
    /// L2CAP; GATT where this host or the one to be reached has no LE credit-based channels.
    case automatic
    /// As automatic, and hosts without LE credit-based channels can reach this one: it offers GATT beside L2CAP.
    case both
    /// LE credit-based channels of L2CAP only.
    case l2cap
    /// A GATT service only, as on a host without LE credit-based channels.
    case gatt

    /// Whether GATT takes the place of L2CAP where there is none.
    package var fallsBack: Bool { self == .automatic || self == .both }
}
