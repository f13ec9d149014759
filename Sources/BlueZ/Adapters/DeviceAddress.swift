/// The address under which a device was heard: six bytes, and of which kind they are.
///
/// Which kind is not in the bytes, and dialling the wrong kind reaches nobody (Bluetooth Core, Vol 6, Part B, 1.3).
package struct DeviceAddress: Hashable, Sendable, CustomStringConvertible {
    /// Who gave out the address.
    package enum Kind: String, Hashable, Sendable {
        /// The maker of the hardware.
        case `public`
        /// The device itself: static, or changing every few minutes.
        case random
    }

    /// Upper case, with colons: the form that bluetoothd uses.
    package let text: String

    package let kind: Kind

    package var description: String { "\(text)/\(kind.rawValue)" }

    /// Reads `AA:BB:CC:DD:EE:FF`, of either case; nil for anything else.
    package init?(_ text: String, kind: Kind) {
        let groups = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard groups.count == 6, groups.allSatisfy({ $0.count == 2 && $0.allSatisfy(Self.isHexadecimal) }) else {
            return nil
        }
        self.text = text.uppercased()
        self.kind = kind
    }

    /// Reads what ``description`` writes, `AA:BB:CC:DD:EE:FF/random`; nil for anything else.
    package init?(description: String) {
        let halves = description.split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2, let kind = Kind(rawValue: String(halves[1])) else { return nil }
        self.init(String(halves[0]), kind: kind)
    }

    /// The last element of the path of the device's object: `dev_AA_BB_CC_DD_EE_FF` (bluez src/device.c, device_create).
    var pathElement: String {
        "dev_" + String(text.map { $0 == ":" ? "_" : $0 })
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }
}
