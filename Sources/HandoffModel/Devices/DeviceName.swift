/// A device's name for people: 1…64 UTF-8 bytes, nothing but printable text, no blanks around it.
package struct DeviceName: Hashable, Sendable, CustomStringConvertible {
    /// The longest name in UTF-8 bytes.
    package static let maximumBytes = 64

    /// The name without the blanks that stood around it.
    package let rawValue: String

    /// Accepts a name, taking away the blanks around it.
    ///
    /// - Throws: ``ModelError/Code/invalidName`` when what remains is empty, longer than ``maximumBytes`` or holds
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
            throw ModelError(.invalidName, "A device name holds no control characters: use printable text.")
        }
        rawValue = name
    }

    /// Makes a name of any text, such as a host name, by leaving out what a name cannot hold.
    ///
    /// Text without anything printable becomes `Linux`.
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
    /// Whether this scalar is a control character, a line or paragraph break, or invisible formatting that could
    /// make one name look like another.
    fileprivate var isUnprintable: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        default: false
        }
    }
}

extension String.UnicodeScalarView {
    /// The text without the white space at both ends.
    fileprivate func trimmingBlanks() -> String {
        guard let first = firstIndex(where: { !$0.properties.isWhitespace }),
            let last = lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return String(self[first...last])
    }
}
