/// JSON of programs that cut texts anywhere, made such that every reader takes it: what is no character costs itself alone,
/// and not the message in which it is.
package enum JSONText {
    private static let replacement = Array(#"\ufffd"#.utf8)
    /// The length of `\u` and its four digits.
    private static let escapeLength = 6

    /// Returns the text with U+FFFD in place of bytes that are not UTF-8, and of escapes that are half of a surrogate pair.
    ///
    /// All else stays as it is, also what is no JSON.
    package static func repaired(_ bytes: [UInt8]) -> [UInt8] {
        let bytes = Array(String(decoding: bytes, as: UTF8.self).utf8)
        guard bytes.contains(UInt8(ascii: "\\")) else { return bytes }
        var repaired: [UInt8] = []
        repaired.reserveCapacity(bytes.count)
        var rest = bytes[...]
        while let byte = rest.first {
            let length = byte == UInt8(ascii: "\\") ? Self.length(ofEscape: rest) : 1
            repaired += length.map { rest.prefix($0) } ?? replacement[...]
            rest = rest.dropFirst(length ?? escapeLength)
        }
        return repaired
    }

    /// The length of the escape that begins here, with that of the other half of its pair; nil for half of a pair alone.
    private static func length(ofEscape text: ArraySlice<UInt8>) -> Int? {
        guard let unit = unit(text) else { return min(2, text.count) }
        switch unit {
        case 0xD800...0xDBFF:
            let low = self.unit(text.dropFirst(escapeLength))
            return low.map { (0xDC00...0xDFFF).contains($0) } == true ? 2 * escapeLength : nil
        case 0xDC00...0xDFFF: return nil
        default: return escapeLength
        }
    }

    /// The number of `\u` and four digits at the beginning of a text; nil if something else is there.
    private static func unit(_ text: ArraySlice<UInt8>) -> UInt16? {
        let digits = text.dropFirst(2).prefix(escapeLength - 2)
        guard text.starts(with: #"\u"#.utf8), digits.count == escapeLength - 2,
            digits.allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit })
        else {
            return nil
        }
        return UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    }
}
