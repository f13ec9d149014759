/// Returns the lower-case hexadecimal text of bytes, two digits for each.
package func hexText(_ bytes: some Sequence<UInt8>) -> String {
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
