/// A `file:` URL of this device (RFC 8089): an absolute path, and what stands behind it.
package struct FileURL: Hashable, Sendable, CustomStringConvertible {
    /// The absolute path: bytes without NUL that begin with a slash.
    package let path: [UInt8]

    /// A query and a fragment with their `?` and `#`, as they were given; often empty.
    package let suffix: String

    /// Makes the URL of a path.
    ///
    /// - Throws: ``ModelError/Code/invalidFileURL`` for a path that is not absolute or holds NUL.
    package init(path: [UInt8], suffix: String = "") throws(ModelError) {
        guard path.first == UInt8(ascii: "/"), !path.contains(0) else {
            throw Self.malformed(String(decoding: path, as: UTF8.self), "has no absolute path")
        }
        self.path = path
        self.suffix = suffix
    }

    /// Reads a URL; nil where it has another scheme than `file`.
    ///
    /// - Throws: ``ModelError/Code/invalidFileURL`` for a file of another host, a path that is not absolute or holds NUL,
    ///   and a percent sign that escapes nothing.
    package init?(_ text: String) throws(ModelError) {
        guard let rest = Self.remainder(of: text, after: "file:") else { return nil }
        let end = rest.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? rest.endIndex
        var hierarchy = rest[..<end]
        if hierarchy.starts(with: "//".utf8) {
            hierarchy = hierarchy.dropFirst(2)
            let host = hierarchy.prefix { $0 != UInt8(ascii: "/") }
            guard host.isEmpty || String(decoding: host, as: UTF8.self).lowercased() == "localhost" else {
                throw Self.malformed(text, "names a file of another host")
            }
            hierarchy = hierarchy.dropFirst(host.count)
        }
        guard let path = PercentCoding.decode(hierarchy) else {
            throw Self.malformed(text, "has a percent sign that escapes nothing")
        }
        try self.init(path: path, suffix: String(decoding: rest[end...], as: UTF8.self))
    }

    /// The URL as text, with an empty host.
    package var description: String { "file://" + PercentCoding.encode(path) + suffix }

    /// What follows a scheme, whose case does not count; nil where the text has another one.
    static func remainder(of text: String, after scheme: String) -> Substring.UTF8View? {
        let head = text.utf8.prefix(scheme.utf8.count)
        guard head.map({ $0.isASCIILetter ? $0 | 0x20 : $0 }).elementsEqual(scheme.utf8) else { return nil }
        return text.utf8.dropFirst(head.count)
    }

    private static func malformed(_ text: String, _ reason: String) -> ModelError {
        ModelError(.invalidFileURL, "\(text.debugDescription) \(reason): write file:///path/to/file.")
    }
}
