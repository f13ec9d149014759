package import Bluetooth
package import HandoffModel
package import HandoffRadio

/// An activity of another device that can be continued here, as described by its advertisements.
package struct NearbyEntry: Hashable, Sendable {
    /// The id of an entry within one run of the daemon; never reused.
    package typealias ID = SerialID<NearbyEntry>

    package let id: ID
    /// The device that advertises the activity.
    package let device: DeviceID
    /// The activity that it stands for; another one of the device has another entry.
    package let activity: AdvertisedActivity
    /// Whether the activity has a web page as a fallback.
    package var hasWebpage: Bool
    /// Whether the activity has a document as a fallback.
    package var hasDocument: Bool
    /// The signal strength last heard, in dBm; nil when the radio does not know it.
    package var rssi: Int8?
    package let firstSeen: Moment
    package var lastSeen: Moment
    /// The address at which a channel to the origin can be opened now.
    package var address: RadioAddress
    package var port: LEPSM

    package var typeHash: ActivityTypeHash { activity.typeHash }
}
