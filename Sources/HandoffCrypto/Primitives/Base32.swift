/// The base32 alphabet of RFC 4648 section 6, in lower case and without padding.
enum Base32 {
    private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

    /// Returns the text of bytes: eight letters for five bytes.
    static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        var bits: UInt32 = 0
        var count: UInt32 = 0
        for byte in bytes {
            bits = (bits << 8 | UInt32(byte)) & 0xFFFF
            count += 8
            while count >= 5 {
                count -= 5
                text.append(alphabet[Int(bits >> count & 31)])
            }
        }
        if count > 0 { text.append(alphabet[Int(bits << (5 - count) & 31)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the bytes of a text in any case; `nil` for a letter outside the alphabet or an impossible length.
    ///
    /// Left-over bits must be zero and fewer than five, so that every sequence of bytes has exactly one text.
    static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var count: UInt32 = 0
        for letter in text {
            guard let value = value(of: letter) else { return nil }
            bits = (bits << 5 | value) & 0xFFFF
            count += 5
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(bits >> count & 0xFF))
        }
        guard count < 5, bits & (1 << count - 1) == 0 else { return nil }
        return bytes
    }

    private static func value(of letter: UInt8) -> UInt32? {
        switch letter {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(letter - UInt8(ascii: "a"))
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(letter - UInt8(ascii: "A"))
        case UInt8(ascii: "2")...UInt8(ascii: "7"): UInt32(letter - UInt8(ascii: "2")) + 26
        default: nil
        }
    }
}
