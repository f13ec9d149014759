package import Bluetooth

/// The address at which a radio can reach a device; opaque to all but the radio that made it.
///
/// It is text and no `BluetoothAddress`, because the peer of an accepted channel may have none that is known, and
/// because nothing above the radio may rely on its form: it neither identifies a device nor outlives an advertisement.
package struct RadioAddress: Hashable, Sendable, CustomStringConvertible {
    /// The radio's own notation, such as `00:AA:01:00:00:00/public`.
    package let description: String

    package init(_ description: String) {
        self.description = description
    }

    /// The notation of a known Bluetooth address.
    package init(_ address: BluetoothAddress) {
        self.init(address.description)
    }
}
