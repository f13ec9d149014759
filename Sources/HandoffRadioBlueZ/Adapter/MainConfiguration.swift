private import SystemPackage

/// What `/etc/bluetooth/main.conf` says about things that bluetoothd does not tell on the bus.
struct MainConfiguration: Hashable, Sendable {
    /// Where every distribution has it.
    static let path = "/etc/bluetooth/main.conf"

    /// More than any such file has.
    private static let maximumLength = 256 * 1024

    /// Whether the adapter uses private addresses: `[General] Privacy`, shipped as `off`.
    let usesPrivateAddress: Bool

    /// Whether somebody set `[LE] MinAdvertisementInterval`.
    let setsInterval: Bool

    /// Reads the text of the file; what is missing or malformed is as shipped.
    init(_ text: String) {
        var section = ""
        var values: [String: String] = [:]
        for line in text.split(whereSeparator: \.isNewline) {
            let line = Self.trim(line)
            if line.hasPrefix("["), line.hasSuffix("]") {
                section = String(line.dropFirst().dropLast())
            } else if !line.hasPrefix("#"), let equals = line.firstIndex(of: "=") {
                let key = Self.trim(line[..<equals])
                values["\(section)/\(key)"] = Self.trim(line[line.index(after: equals)...]).lowercased()
            }
        }
        usesPrivateAddress = !["off", ""].contains(values["General/Privacy"] ?? "off")
        setsInterval = values["LE/MinAdvertisementInterval"] != nil
    }

    /// What the file says now, or what is shipped when it cannot be read.
    static func current(path: String = path) -> MainConfiguration {
        MainConfiguration((try? contents(of: FilePath(path))) ?? "")
    }

    private static func contents(of path: FilePath) throws -> String {
        let file = try FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .nonBlocking])
        return try file.closeAfter {
            try String(unsafeUninitializedCapacity: maximumLength) { buffer in
                try file.read(fromAbsoluteOffset: 0, into: UnsafeMutableRawBufferPointer(buffer))
            }
        }
    }

    private static func trim(_ text: Substring) -> Substring {
        let start = text.drop(while: \.isWhitespace)
        guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return start[...last]
    }
}
