/// Percent-encoding of paths in URLs (RFC 3986, section 2.1).
///
/// A Linux path is bytes, not text; so both functions work on bytes.
enum PercentCoding {
    /// Percent-encodes bytes for the path of a URL, except slashes.
    static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        for byte in bytes {
            if byte.isASCIIWordByte || allowed.contains(byte) {
                text.append(byte)
            } else {
                text += Array("%\(hexText([byte]).uppercased())".utf8)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes the path of a URL; nil when a percent sign is not followed by two hexadecimal digits.
    ///
    /// Bytes that should have been escaped are accepted unchanged.
    static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = text.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.next()?.hexDigitValue, let low = rest.next()?.hexDigitValue else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// The bytes that need no escape besides letters, digits and `_`: the rest of `pchar` (RFC 3986, section 3.3) and
    /// the slash.
    private static let allowed = Set("-.~!$&'()*+,;=:@/".utf8)
}

extension UInt8 {
    /// The value of this byte as a hexadecimal digit of either case; nil when it is not one.
    fileprivate var hexDigitValue: UInt8? {
        lowercaseHexDigitValue ?? (isASCIILetter ? (self | 0x20).lowercaseHexDigitValue : nil)
    }
}
