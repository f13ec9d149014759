/// A 128-bit service UUID.
package struct ServiceUUID: Hashable, Sendable, CustomStringConvertible {
    /// The UUID in lower case with hyphens: the form that bluetoothd uses.
    package let description: String

    /// Parses `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` in either case; nil for anything else.
    package init?(_ text: String) {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12],
            groups.allSatisfy({ $0.utf8.allSatisfy(Self.isHexadecimal) })
        else { return nil }
        description = text.lowercased()
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
