/// A release of BlueZ, such as 5.66.
package struct BlueZRelease: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let major: Int
    package let minor: Int

    package var description: String { "\(major).\(minor)" }

    /// The oldest release that this module supports.
    package static let oldestSupported = BlueZRelease(5, 66)

    package init(_ major: Int, _ minor: Int) {
        self.major = major
        self.minor = minor
    }

    /// Parses what `bluetoothd --version` prints, such as `5.66`; nil for anything else.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", maxSplits: 1).map { part in part.allSatisfy(\.isNumber) ? Int(part) : nil
        }
        guard parts.count == 2, let major = parts[0], let minor = parts[1] else { return nil }
        self.init(major, minor)
    }

    package static func < (one: BlueZRelease, other: BlueZRelease) -> Bool {
        (one.major, one.minor) < (other.major, other.minor)
    }

    /// The oldest release that has all the given properties of org.bluez.Adapter1.
    ///
    /// bluetoothd does not report the version of BlueZ on the bus (`Adapter1.Version` is that of Bluetooth), but
    /// properties show a minimum release: `Version` came with 5.71 and `Connectable` with 5.79 (bluez
    /// doc/org.bluez.Adapter.rst). Without either, the result is ``oldestSupported``.
    static func oldest(withAdapterProperties properties: some Collection<String>) -> BlueZRelease {
        if properties.contains("Connectable") {
            BlueZRelease(5, 79)
        } else if properties.contains("Version") {
            BlueZRelease(5, 71)
        } else {
            oldestSupported
        }
    }
}
