/// A release of BlueZ, such as 5.66.
package struct BlueZRelease: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let major: Int
    package let minor: Int

    package var description: String { "\(major).\(minor)" }

    package init(_ major: Int, _ minor: Int) {
        self.major = major
        self.minor = minor
    }

    package static func < (one: BlueZRelease, other: BlueZRelease) -> Bool {
        (one.major, one.minor) < (other.major, other.minor)
    }

    /// The oldest release that has all the given properties of org.bluez.Adapter1.
    ///
    /// bluetoothd does not report the version of BlueZ on the bus (`Adapter1.Version` is that of Bluetooth), but
    /// properties show a minimum release: `Version` came with 5.71 and `Connectable` with 5.79 (bluez
    /// doc/org.bluez.Adapter.rst). Without either, the result is 5.66, the oldest release that this module supports.
    static func oldest(withAdapterProperties properties: some Collection<String>) -> BlueZRelease {
        if properties.contains("Connectable") {
            BlueZRelease(5, 79)
        } else if properties.contains("Version") {
            BlueZRelease(5, 71)
        } else {
            BlueZRelease(5, 66)
        }
    }
}
