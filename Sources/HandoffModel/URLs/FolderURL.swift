/// The location of a file in a synchronised folder: the form in which a `file:` URL is sent to another device.
///
/// Its text is `handoff-folder:ID/RELATIVE/PATH`, the path percent-encoded, followed by the query and the fragment of
/// the `file:` URL. The folder itself is `handoff-folder:ID/`.
package struct FolderURL: Hashable, Sendable, CustomStringConvertible {
    /// The id of the folder, the same on all devices.
    package let folder: FolderID

    /// The path below the folder: no component is empty, `.` or `..`, or contains NUL or a slash.
    package let components: [[UInt8]]

    /// The query and fragment, as in ``FileURL/suffix``.
    package let suffix: String

    /// The longest path in bytes (PATH_MAX of linux/limits.h, which counts a final NUL).
    package static let maximumPathBytes = 4095

    /// Makes the URL of a file in a folder.
    ///
    /// - Throws: ``ModelError/Code/invalidFileURL`` for a path that is too long or components that could escape the
    ///   folder.
    package init(folder: FolderID, components: [[UInt8]], suffix: String = "") throws(ModelError) {
        let length = components.reduce(0) { $0 + $1.count + 1 }
        guard length <= Self.maximumPathBytes, components.allSatisfy(Self.isPlain) else {
            throw Self.malformed("the path in the folder \(folder)")
        }
        self.folder = folder
        self.components = components
        self.suffix = suffix
    }

    /// Parses a URL; nil for another scheme.
    ///
    /// - Throws: ``ModelError/Code/invalidFileURL`` or ``ModelError/Code/invalidFolder``.
    package init?(_ text: String) throws(ModelError) {
        guard let rest = FileURL.remainder(of: text, after: "handoff-folder:") else { return nil }
        let end = rest.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? rest.endIndex
        guard let slash = rest[..<end].firstIndex(of: UInt8(ascii: "/")) else {
            throw Self.malformed("\(text.debugDescription)")
        }
        let folder = try FolderID(String(decoding: rest[..<slash], as: UTF8.self))
        let path = rest[rest.index(after: slash)..<end]
        var components: [[UInt8]] = []
        // Split before decoding: an escaped slash is not a separator, and a component that contains it is invalid.
        for part in path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: path.isEmpty) {
            guard let component = PercentCoding.decode(part) else { throw Self.malformed("\(text.debugDescription)") }
            components.append(component)
        }
        try self.init(
            folder: folder,
            components: components,
            suffix: String(decoding: rest[end...], as: UTF8.self)
        )
    }

    package var description: String {
        "handoff-folder:\(folder)/" + PercentCoding.encode(components.joined(separator: [UInt8(ascii: "/")])) + suffix
    }

    private static func isPlain(_ component: [UInt8]) -> Bool {
        !component.isEmpty && component != Array(".".utf8) && component != Array("..".utf8)
            && !component.contains { $0 == 0 || $0 == UInt8(ascii: "/") }
    }

    private static func malformed(_ what: String) -> ModelError {
        ModelError(.invalidFileURL, "\(what) does not stay inside a folder.")
    }
}
