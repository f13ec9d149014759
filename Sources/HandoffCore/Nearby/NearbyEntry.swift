package import HandoffModel
package import HandoffRadio

/// An activity of another device that can be continued here, as its advertisements tell.
package struct NearbyEntry: Hashable, Sendable {
    /// The name of an entry inside one run of the daemon; never used twice.
    package typealias ID = UInt64

    package let id: ID
    /// Whose activity it is.
    package let device: DeviceID
    package let typeHash: ActivityTypeHash
    /// Whether there is a web page to fall back to.
    package var hasWebpage: Bool
    /// The signal strength last heard, in dBm; nil when the radio does not know it.
    package var rssi: Int8?
    package let firstSeen: Moment
    package var lastSeen: Moment
    /// Where a channel to the origin can be opened now.
    package var address: RadioAddress
    package var port: ChannelPort
}
