extension UInt8 {
    /// Whether this byte is an ASCII letter, digit or `_`.
    var isASCIIWordByte: Bool { isASCIIAlphanumeric || self == UInt8(ascii: "_") }

    /// Whether this byte is an ASCII letter or digit.
    var isASCIIAlphanumeric: Bool { isASCIIDigit || isASCIILetter }

    /// Whether this byte is an ASCII digit.
    var isASCIIDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    /// Whether this byte is an ASCII letter of either case.
    var isASCIILetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }

    /// The value of this byte as a lower-case hexadecimal digit; `nil` when it is not one.
    var lowercaseHexDigitValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

/// Returns the lower-case hexadecimal text of bytes, two digits for each.
func hexText(_ bytes: some Sequence<UInt8>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    var text: [UInt8] = []
    for byte in bytes {
        text.append(digits[Int(byte >> 4)])
        text.append(digits[Int(byte & 0x0F)])
    }
    return String(decoding: text, as: UTF8.self)
}

/// Parses lower-case hexadecimal text; `nil` for anything else.
func bytes(fromHexText text: String) -> [UInt8]? {
    let digits = text.utf8.map(\.lowercaseHexDigitValue)
    guard digits.count.isMultiple(of: 2) else { return nil }
    var result: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
        guard let high = digits[index], let low = digits[index + 1] else { return nil }
        result.append(high << 4 | low)
    }
    return result
}
