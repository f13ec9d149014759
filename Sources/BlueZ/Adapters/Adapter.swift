package import DBus

/// A Bluetooth adapter as bluetoothd describes it at one moment.
package struct Adapter: Hashable, Sendable, Identifiable {
    /// Whether the adapter is on, and if not, why.
    package enum Power: Hashable, Sendable {
        case on
        case off
        /// Held off by rfkill: flight mode, or a switch on the case.
        case blocked
    }

    /// What the adapter says about its advertisements.
    ///
    /// Absent for a moment after the adapter appeared: bluetoothd asks the kernel first (bluez src/advertising.c,
    /// read_adv_features_callback).
    package struct Advertising: Hashable, Sendable {
        /// How many advertisements are on the air, of all programs.
        package let active: Int

        /// How many more the adapter can hold.
        package let free: Int

        /// Whether bluetoothd heeds the interval that an advertisement asks for.
        ///
        /// It does from 5.77 on (commit 7e028287a) and with its option -E before; both are told by the presence of
        /// SupportedFeatures, which became visible by the same commit.
        package let honorsInterval: Bool
    }

    /// The object's path, such as `/org/bluez/hci0`.
    package let path: ObjectPath

    /// Changes each time when the adapter appears or is switched on: what was started before is gone then.
    package let incarnation: UInt64

    /// The address of the adapter itself, never that of a privacy set-up.
    package let address: DeviceAddress

    package let power: Power

    /// Whether anybody's discovery is running.
    package let isDiscovering: Bool

    /// nil while the adapter cannot advertise, or cannot yet.
    package let advertising: Advertising?

    /// Whether GATT services can be published.
    package let servesGATT: Bool

    /// Such as `central`, `peripheral`, `central-peripheral`.
    package let roles: Set<String>

    /// The oldest BlueZ that bluetoothd can be.
    package let release: BlueZRelease

    package var id: ObjectPath { path }

    /// The kernel's name of the adapter, such as `hci0`.
    package var name: String { path.lastElement }
}
