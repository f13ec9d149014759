/// What carries the channels of a Bluetooth radio.
package enum ChannelTransport: String, Hashable, Sendable, CaseIterable {
    /// L2CAP where both hosts can, GATT where one cannot.
    case automatic
    /// LE credit-based channels of L2CAP only.
    case l2cap
    /// A GATT service only, as on a host without LE credit-based channels.
    case gatt
}
