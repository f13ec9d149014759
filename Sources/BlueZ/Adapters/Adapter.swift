package import Bluetooth
package import DBus

/// A Bluetooth adapter as bluetoothd describes it at one moment.
package struct Adapter: Hashable, Sendable, Identifiable {
    /// Whether the adapter is on, and if not, why.
    package enum Power: Hashable, Sendable {
        case on
        case off
        /// Blocked by rfkill: flight mode, or a hardware switch.
        case blocked
    }

    /// The advertising capabilities that the adapter reports.
    ///
    /// Absent briefly after the adapter appears: bluetoothd queries the kernel first (bluez src/advertising.c,
    /// read_adv_features_callback).
    package struct Advertising: Hashable, Sendable {
        /// The number of active advertisements of all programs.
        package let active: Int

        /// The number of further advertisements that the adapter can hold.
        package let free: Int

        /// Whether bluetoothd applies the interval that an advertisement requests.
        ///
        /// It does from 5.77 on (commit 7e028287a) and with its option -E before; both are recognized by the presence
        /// of SupportedFeatures, which the same commit made visible.
        package let honorsInterval: Bool
    }

    /// The path of the object, such as `/org/bluez/hci0`.
    package let path: ObjectPath

    /// Changes each time the adapter appears or is switched on: everything started before that is gone.
    package let incarnation: UInt64

    /// The address of the adapter itself, never a private address that it uses for privacy.
    package let address: BluetoothAddress

    /// The name that bluetoothd gives to every device that connects and reads it (GAP, Device Name); by default the name
    /// of the host.
    package let alias: String

    package let power: Power

    /// Whether discovery is running, for any program.
    package let isDiscovering: Bool

    /// Whether another program keeps discovery on.
    package let isDiscoveringForOthers: Bool

    /// Whether sound is going over the adapter, such as to headphones.
    package let isPlayingAudio: Bool

    /// nil while the adapter cannot advertise, or cannot yet.
    package let advertising: Advertising?

    /// Whether GATT services can be published.
    package let servesGATT: Bool

    /// The supported roles, such as `central`, `peripheral`, `central-peripheral`.
    package let roles: Set<String>

    /// The oldest release of BlueZ that bluetoothd can be.
    package let release: BlueZRelease

    package var id: ObjectPath { path }

    /// The kernel's name of the adapter, such as `hci0`.
    package var name: String { path.lastElement }
}
