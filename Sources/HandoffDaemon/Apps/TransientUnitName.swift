/// The name of the unit of a program: `app-handoffd-NAME@NUMBER.service` (systemd, "Desktop Environments").
struct TransientUnitName: Hashable, Sendable, CustomStringConvertible {
    let description: String

    /// Units have names of up to 255 bytes; an escaped byte has four.
    private static let maximumName = 48

    /// Creates a name with a number that no other one has.
    ///
    /// - Parameter name: the id of the app, or the name of its program.
    init(of name: String) {
        self.init(of: name, number: .random(in: 0...UInt64.max))
    }

    init(of name: String, number: UInt64) {
        let bytes = name.utf8.prefix(Self.maximumName).map(Self.escaped).joined()
        description = "app-handoffd-\(bytes)@\(String(number, radix: 16)).service"
    }

    /// A byte as in systemd.unit(5), "String Escaping for Inclusion in Unit Names"; a dash would divide the name.
    private static func escaped(_ byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."):
            String(UnicodeScalar(byte))
        default: "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
    }
}
