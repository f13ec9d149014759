/// A device's name for people: 1…64 UTF-8 bytes that can be shown in a line and compared (Docs/Protocol.md, "Names").
///
/// It has only what cleaning keeps: no control, formatting or private-use characters, single spaces between words and
/// none at either end. What another device states about its name is a ``StatedName``.
package struct DeviceName: Hashable, Sendable, CustomStringConvertible {
    /// The longest name in UTF-8 bytes.
    package static let maximumBytes = 64

    /// The name of a device that has no other.
    package static let linux = DeviceName(cleaned: "Linux")

    /// The text of the name.
    package let rawValue: String

    /// Parses a name that a user of this device gave; white space is reduced to single spaces, and removed at both
    /// ends.
    ///
    /// - Throws: ``ModelError/Code/invalidName`` when the rest is empty, longer than ``maximumBytes``, or contains
    ///   characters that cleaning removes.
    package init(_ string: String) throws(ModelError) {
        let result = NameCleaning(string)
        guard !result.hasRemoved, !string.unicodeScalars.trimmingBlanks().contains(where: \.isLineControl) else {
            throw ModelError(
                .invalidName,
                "A device name must not contain control or formatting characters: use printable text."
            )
        }
        guard (1...Self.maximumBytes).contains(result.text.utf8.count) else {
            throw ModelError(
                .invalidName,
                "A device name has 1 to \(Self.maximumBytes) bytes; this one has \(result.text.utf8.count)."
            )
        }
        rawValue = result.text
    }

    /// Makes a name of any text, such as a host name, by removing what a name cannot contain; nil when nothing is left.
    package init?(cleaning text: String) {
        let name = NameCleaning(text, limit: Self.maximumBytes).text
        guard !name.isEmpty else { return nil }
        self.init(cleaned: name)
    }

    /// Makes the name of the device `id` of any text; the name is the text of `id` when nothing of the text is left.
    package init(cleaning text: String, of id: DeviceID) {
        self = DeviceName(cleaning: text) ?? DeviceName(cleaned: id.description)
    }

    private init(cleaned text: String) {
        rawValue = text
    }

    package var description: String { rawValue }
}

extension Unicode.Scalar {
    /// Whether this scalar is white space that a name given by a user cannot contain between its words.
    fileprivate var isLineControl: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

extension String.UnicodeScalarView {
    /// Returns the scalars without the white space at both ends.
    fileprivate func trimmingBlanks() -> SubSequence {
        guard let first = firstIndex(where: { !$0.isBlankInName }),
            let last = lastIndex(where: { !$0.isBlankInName })
        else { return self[endIndex...] }
        return self[first...last]
    }
}
