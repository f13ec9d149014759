/// An IP address that stands in place of a host name, as browsers read it (WHATWG URL, sections "IPv4 parser" and "IPv6
/// parser"; inet_aton(3) and inet_pton(3) read the same).
struct HostAddress: CustomStringConvertible {
    /// The sixteen-bit pieces of IPv6; IPv4 has its place in ::ffff:0:0/96 (RFC 4291, section 2.5.5.2).
    private let pieces: [UInt16]

    private static let pieceCount = 8
    private static let mappedPrefix: [UInt16] = [0, 0, 0, 0, 0, 0xFFFF]

    // MARK: IPv4

    /// Whether a last label makes the whole an IPv4 address, or nothing.
    static func isNumber(_ label: String) -> Bool {
        let bytes = label.utf8
        return !bytes.isEmpty && bytes.allSatisfy(\.isASCIIDigit)
            || label.hasPrefix("0x") && bytes.dropFirst(2).allSatisfy { $0.lowercaseHexDigitValue != nil }
    }

    /// Parses one to four numbers, each decimal, octal or hexadecimal, of which the last fills what is left; nil for anything
    /// else.
    init?(version4 labels: [String]) {
        let numbers = labels.compactMap(Self.number)
        guard numbers.count == labels.count, (1...4).contains(numbers.count), let last = numbers.last,
            numbers.dropLast().allSatisfy({ $0 <= 255 }), last < UInt64(1) << (8 * UInt64(5 - numbers.count))
        else { return nil }
        var address = last
        for (place, number) in numbers.dropLast().enumerated() { address |= number << UInt64(8 * (3 - place)) }
        pieces = Self.mappedPrefix + [UInt16(address >> 16), UInt16(truncatingIfNeeded: address)]
    }

    /// A number of at most 32 bits; nil for anything else.
    private static func number(_ label: String) -> UInt64? {
        guard !label.isEmpty else { return nil }
        if label.hasPrefix("0x") { return label == "0x" ? 0 : number(label.dropFirst(2), radix: 16) }
        let isOctal = label.hasPrefix("0") && label != "0"
        return isOctal ? number(label.dropFirst(), radix: 8) : number(label[...], radix: 10)
    }

    private static func number(_ digits: Substring, radix: Int) -> UInt64? {
        // Not the conversion alone, which takes a sign.
        guard digits.utf8.allSatisfy(\.isASCIIAlphanumeric), let number = UInt64(digits, radix: radix) else {
            return nil
        }
        return number <= UInt64(UInt32.max) ? number : nil
    }

    // MARK: IPv6

    /// Parses the text between brackets; nil for anything but an IPv6 address without a zone.
    init?(version6 text: Substring) {
        let halves = text.split(separator: "::", omittingEmptySubsequences: false)
        guard (1...2).contains(halves.count), let first = Self.pieces(halves[0], isLast: halves.count == 1),
            let second = halves.count == 2 ? Self.pieces(halves[1], isLast: true) : []
        else { return nil }
        let missing = Self.pieceCount - first.count - second.count
        // `::` stands for one piece at least.
        guard halves.count == 2 ? missing >= 1 : missing == 0 else { return nil }
        pieces = first + [UInt16](repeating: 0, count: missing) + second
    }

    /// The pieces of a part without `::`, whose end may be an IPv4 address.
    private static func pieces(_ text: Substring, isLast: Bool) -> [UInt16]? {
        guard !text.isEmpty else { return [] }
        var groups = text.split(separator: ":", omittingEmptySubsequences: false)
        var end: [UInt16] = []
        if isLast, let last = groups.last, last.contains(".") {
            guard let address = dotted(last) else { return nil }
            (groups, end) = (groups.dropLast(), address)
        }
        let numbers = groups.compactMap { group -> UInt16? in
            guard (1...4).contains(group.utf8.count), group.utf8.allSatisfy(\.isASCIIAlphanumeric) else { return nil }
            return UInt16(group, radix: 16)
        }
        return numbers.count == groups.count ? numbers + end : nil
    }

    /// Four decimal numbers without leading zeros, as two pieces.
    private static func dotted(_ text: Substring) -> [UInt16]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let bytes = parts.compactMap { part -> UInt16? in
            guard (1...3).contains(part.utf8.count), part.utf8.allSatisfy(\.isASCIIDigit),
                part == "0" || part.first != "0"
            else { return nil }
            return UInt8(part).map(UInt16.init)
        }
        return parts.count == 4 && bytes.count == 4 ? [bytes[0] << 8 | bytes[1], bytes[2] << 8 | bytes[3]] : nil
    }

    // MARK: Text

    /// The address in decimal numbers, or in brackets in the form of RFC 5952.
    var description: String {
        guard !pieces.starts(with: Self.mappedPrefix) else {
            let bytes = pieces.dropFirst(Self.mappedPrefix.count).flatMap { [$0 >> 8, $0 & 0xFF] }
            return bytes.map(String.init).joined(separator: ".")
        }
        let zeros = longestZeros
        guard zeros.count > 1 else { return "[\(Self.text(pieces[...]))]" }
        return "[\(Self.text(pieces[..<zeros.lowerBound]))::\(Self.text(pieces[zeros.upperBound...]))]"
    }

    /// The first of the longest runs of zeros.
    private var longestZeros: Range<Int> {
        var (longest, start) = (0..<0, 0)
        for (place, piece) in pieces.enumerated() {
            if piece != 0 { start = place + 1 }
            if place + 1 - start > longest.count { longest = start..<(place + 1) }
        }
        return longest
    }

    private static func text(_ pieces: ArraySlice<UInt16>) -> String {
        pieces.map { String($0, radix: 16) }.joined(separator: ":")
    }
}
