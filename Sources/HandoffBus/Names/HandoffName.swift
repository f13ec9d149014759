package import DBus
package import HandoffModel

/// The daemon's names on the bus.
package enum HandoffName {
    /// The daemon's bus name for apps, which publish activities and continue them.
    package static let bus: BusName = "org.handoffd.Handoff1"
    /// The daemon's bus name for the user's own programs, which see everything and decide who is trusted.
    ///
    /// Programs in a sandbox are refused on it.
    package static let control: BusName = "org.handoffd.Control1"
    /// The bus name of `handoff-desktop`, which the desktop calls to search.
    package static let desktop: BusName = "org.handoffd.Desktop1"
    /// The id of Handoff's desktop file, without `.desktop`; also the name of its icon.
    package static let desktopFile = "org.handoffd.Handoff"
    /// The object with `Manager1` and the ObjectManager over all others.
    package static let root: ObjectPath = "/org/handoffd/Handoff1"
    package static let managerInterface: InterfaceName = "org.handoffd.Manager1"
    package static let activityInterface: InterfaceName = "org.handoffd.Activity1"
    /// Implemented by apps.
    package static let activityDelegateInterface: InterfaceName = "org.handoffd.ActivityDelegate1"
    /// Implemented by apps that continue activities.
    package static let applicationInterface: InterfaceName = "org.handoffd.Application1"
    package static let appsInterface: InterfaceName = "org.handoffd.Apps1"
    package static let documentsInterface: InterfaceName = "org.handoffd.Documents1"
    package static let rulesInterface: InterfaceName = "org.handoffd.Rules1"
    package static let settingsInterface: InterfaceName = "org.handoffd.Settings1"
    package static let pairingInterface: InterfaceName = "org.handoffd.Pairing1"
    /// Implemented by programs that ask the user during pairing.
    package static let pairingAgentInterface: InterfaceName = "org.handoffd.PairingAgent1"
    package static let nearbyActivityInterface: InterfaceName = "org.handoffd.NearbyActivity1"
    package static let deviceInterface: InterfaceName = "org.handoffd.Device1"

    /// The path above the activities of this device.
    package static var activities: ObjectPath { root.appending("Activity") }

    /// Returns the path of an activity of this device.
    package static func activity(_ id: ActivityID) -> ObjectPath {
        activities.appending(id.description)
    }

    /// Returns the path of an activity of another device.
    package static func nearbyActivity(_ id: UInt64) -> ObjectPath {
        root.appending("Nearby").appending(String(id))
    }

    /// Returns the number of the activity of another device at a path; nil for any other path.
    package static func nearbyActivityID(at path: ObjectPath) -> UInt64? {
        guard let id = path.description.split(separator: "/").last.flatMap({ UInt64($0) }) else { return nil }
        return nearbyActivity(id) == path ? id : nil
    }

    /// Returns the path of a trusted device, by its id of 16 hexadecimal digits.
    package static func device(_ id: String) -> ObjectPath {
        root.appending("Device").appending(id)
    }
}
