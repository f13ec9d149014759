private import SystemPackage

/// The settings of `/etc/bluetooth/main.conf` that bluetoothd does not expose on the bus.
struct MainConfiguration: Hashable, Sendable {
    /// The path in every distribution.
    static let path = "/etc/bluetooth/main.conf"

    /// The most bytes that are read, more than any such file has.
    private static let maximumLength = 256 * 1024

    /// Whether the adapter uses private addresses: `[General] Privacy`, by default `off`.
    let usesPrivateAddress: Bool

    /// Whether `[LE] MinAdvertisementInterval` is set.
    let setsInterval: Bool

    /// Parses the text of the file; missing or malformed settings have their defaults.
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

    /// Reads the file; returns the defaults if it cannot be read.
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
