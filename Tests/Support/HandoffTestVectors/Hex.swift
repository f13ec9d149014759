/// The lower-case hexadecimal text of bytes.
package func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

/// The bytes of hexadecimal text, in which blanks are ignored; traps on any other character.
package func bytes(_ hex: String) -> [UInt8] {
    let digits = hex.filter { !$0.isWhitespace }.map { digit in
        guard let value = digit.hexDigitValue else { preconditionFailure("\(digit) is not a hexadecimal digit") }
        return UInt8(value)
    }
    precondition(digits.count.isMultiple(of: 2), "hexadecimal text has an even number of digits")
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}
