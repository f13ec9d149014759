/// A `file:` URL of this device (RFC 8089): an absolute path, a query and a fragment.
package struct FileURL: Hashable, Sendable, CustomStringConvertible {
    /// The absolute path: bytes without NUL, beginning with a slash.
    package let path: [UInt8]

    /// The query and fragment with their `?` and `#`, unchanged; often empty.
    package let suffix: String

    /// Makes the URL of a path.
    ///
    /// - Throws: ``ModelError/Code/invalidFileURL`` for a path that is not absolute or contains NUL.
    package init(path: [UInt8], suffix: String = "") throws(ModelError) {
        guard path.first == UInt8(ascii: "/"), !path.contains(0) else {
            throw Self.malformed(String(decoding: path, as: UTF8.self), "has no absolute path")
        }
        self.path = path
        self.suffix = suffix
    }

    /// Parses a URL; nil for a scheme other than `file`.
    ///
    /// - Throws: ``ModelError/Code/invalidFileURL`` for a file on another host, a path that is not absolute or contains
    ///   NUL, and a percent sign without two hexadecimal digits.
    package init?(_ text: String) throws(ModelError) {
        guard let rest = Self.remainder(of: text, after: "file:") else { return nil }
        let end = rest.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? rest.endIndex
        var hierarchy = rest[..<end]
        if hierarchy.starts(with: "//".utf8) {
            hierarchy = hierarchy.dropFirst(2)
            let host = hierarchy.prefix { $0 != UInt8(ascii: "/") }
            guard host.isEmpty || String(decoding: host, as: UTF8.self).lowercased() == "localhost" else {
                throw Self.malformed(text, "names a file on another host")
            }
            hierarchy = hierarchy.dropFirst(host.count)
        }
        guard let path = PercentCoding.decode(hierarchy) else {
            throw Self.malformed(text, "has a percent sign without two hexadecimal digits")
        }
        try self.init(path: path, suffix: String(decoding: rest[end...], as: UTF8.self))
    }

    /// The URL as text, with an empty host.
    package var description: String { "file://" + PercentCoding.encode(path) + suffix }

    /// Returns the text after a scheme, which is compared without regard to case; nil for another scheme.
    static func remainder(of text: String, after scheme: String) -> Substring.UTF8View? {
        let head = text.utf8.prefix(scheme.utf8.count)
        guard head.map({ $0.isASCIILetter ? $0 | 0x20 : $0 }).elementsEqual(scheme.utf8) else { return nil }
        return text.utf8.dropFirst(head.count)
    }

    private static func malformed(_ text: String, _ reason: String) -> ModelError {
        ModelError(.invalidFileURL, "\(text.debugDescription) \(reason): write file:///path/to/file.")
    }
}
