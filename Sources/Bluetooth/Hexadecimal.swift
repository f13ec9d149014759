/// Numbers as hexadecimal text of a fixed length.
package enum Hexadecimal {
    /// Returns at least `digits` lower-case digits, with leading zeros.
    package static func text(_ number: some BinaryInteger, digits: Int) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }

    /// Parses exactly `digits` digits in either case, at most 32; nil for anything else, a sign included.
    package static func number(_ text: some StringProtocol, digits: Int) -> UInt128? {
        // Without this, an initialiser of integers accepts a sign.
        guard text.utf8.count == digits, text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") })
        else { return nil }
        return UInt128(text, radix: 16)
    }

    /// Parses groups of digits of these lengths, at most 32 digits in all, with `separator` between them.
    static func number(_ text: String, groups: [Int], separator: Character) -> UInt128? {
        let parts = text.split(separator: separator, omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == groups else { return nil }
        return number(parts.joined(), digits: groups.reduce(0, +))
    }
}
