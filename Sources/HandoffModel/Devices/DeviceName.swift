/// A device's name for people: 1…64 UTF-8 bytes of printable text, without white space at either end.
package struct DeviceName: Hashable, Sendable, CustomStringConvertible {
    /// The longest name in UTF-8 bytes.
    package static let maximumBytes = 64

    /// The name, without white space at either end.
    package let rawValue: String

    /// Parses a name and removes the white space at both ends.
    ///
    /// - Throws: ``ModelError/Code/invalidName`` when the rest is empty, longer than ``maximumBytes``, or contains
    ///   control characters.
    package init(_ string: String) throws(ModelError) {
        let name = string.unicodeScalars.trimmingBlanks()
        guard (1...Self.maximumBytes).contains(name.utf8.count) else {
            throw ModelError(
                .invalidName,
                "A device name has 1 to \(Self.maximumBytes) bytes; this one has \(name.utf8.count)."
            )
        }
        guard !name.unicodeScalars.contains(where: \.isUnprintable) else {
            throw ModelError(.invalidName, "A device name must not contain control characters: use printable text.")
        }
        rawValue = name
    }

    /// Makes a name of any text, such as a host name, by removing what a name cannot contain.
    ///
    /// Text without printable characters becomes `Linux`.
    package init(sanitizing text: String) {
        var kept = String.UnicodeScalarView()
        var count = 0
        for scalar in text.unicodeScalars.drop(while: \.properties.isWhitespace) where !scalar.isUnprintable {
            count += UTF8.width(scalar)
            guard count <= Self.maximumBytes else { break }
            kept.append(scalar)
        }
        let name = kept.trimmingBlanks()
        rawValue = name.isEmpty ? "Linux" : name
    }

    package var description: String { rawValue }
}

extension Unicode.Scalar {
    /// Whether this scalar is a control character, a line or paragraph separator, unassigned, for private use, or
    /// invisible formatting that could make one name look like another.
    fileprivate var isUnprintable: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        default: false
        }
    }
}

extension String.UnicodeScalarView {
    /// Returns the text without the white space at both ends.
    fileprivate func trimmingBlanks() -> String {
        guard let first = firstIndex(where: { !$0.properties.isWhitespace }),
            let last = lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return String(self[first...last])
    }
}
