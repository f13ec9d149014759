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
