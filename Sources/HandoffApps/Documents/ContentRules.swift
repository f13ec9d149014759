/// What contents of one MIME database tell the type of a document (Shared MIME-info Database specification, "The magic files").
struct ContentRules: Sendable {
    /// The most bytes of a document that are looked at (GLib, `g_file_query_info`).
    static let maximumExtent = 4096

    private struct Section {
        let priority: Int
        let type: String
        var rules: [Rule] = []
    }

    private struct Rule {
        let depth: Int
        let offset: Int
        let value: [UInt8]
        let mask: [UInt8]?
        /// At how many places from the offset on the value may be.
        let places: Int

        func matches(_ content: [UInt8]) -> Bool {
            (offset..<offset + places).contains { start in
                guard start + value.count <= content.count else { return false }
                return value.indices.allSatisfy { index in
                    let mask = mask?[index] ?? 0xFF
                    return content[start + index] & mask == value[index] & mask
                }
            }
        }
    }

    private let sections: [Section]
    /// The number of bytes at the beginning of a document that the rules look at.
    let extent: Int

    /// Parses a `magic` file, as far as it is valid.
    init(_ bytes: [UInt8]) {
        var reader = Reader(bytes: bytes)
        sections = reader.sections()
        extent = sections.flatMap(\.rules).map { $0.offset + $0.places + $0.value.count }.max() ?? 0
    }

    /// The type of the first section that the content fits, and its priority; nil if there is none.
    func type(of content: [UInt8]) -> (type: String, priority: Int)? {
        sections.first { Self.fits($0.rules[...], content) }.map { ($0.type, $0.priority) }
    }

    /// Whether one of the first rules matches, and if rules are below it, one of these.
    private static func fits(_ rules: ArraySlice<Rule>, _ content: [UInt8]) -> Bool {
        var rest = rules
        while let rule = rest.popFirst() {
            let below = rest.prefix { $0.depth > rule.depth }
            rest = rest.dropFirst(below.count)
            if rule.matches(content), below.isEmpty || fits(below, content) { return true }
        }
        return false
    }

    private struct Reader {
        let bytes: [UInt8]
        private var place = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        mutating func sections() -> [Section] {
            guard bytes.starts(with: Array("MIME-Magic\0\n".utf8)) else { return [] }
            place = 12
            var sections: [Section] = []
            while let byte = next {
                if byte == UInt8(ascii: "[") {
                    guard let section = section() else { break }
                    sections.append(section)
                } else {
                    guard !sections.isEmpty, let rule = rule() else { break }
                    sections[sections.count - 1].rules.append(rule)
                }
            }
            return sections.filter { !$0.rules.isEmpty }
        }

        private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

        private mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard next == UInt8(ascii: character) else { return false }
            place += 1
            return true
        }

        private mutating func section() -> Section? {
            guard take("["), let priority = number(), take(":"),
                let end = bytes[place...].firstIndex(of: UInt8(ascii: "]"))
            else { return nil }
            let type = String(decoding: bytes[place..<end], as: UTF8.self)
            place = end + 1
            return take("\n") ? Section(priority: priority, type: type) : nil
        }

        private mutating func rule() -> Rule? {
            let depth = number() ?? 0
            guard take(">"), let offset = number(), take("="), let length = twoBytes(), let value = take(length)
            else { return nil }
            var (mask, places, wordBytes): ([UInt8]?, Int, Int) = (nil, 1, 1)
            if take("&") {
                guard let given = take(length) else { return nil }
                mask = given
            }
            if take("~") { wordBytes = number() ?? 1 }
            if take("+") { places = max(1, number() ?? 1) }
            guard take("\n"), offset + places < 1 << 20 else { return nil }
            // Words are in the file in the order of the network.
            return Rule(
                depth: depth,
                offset: offset,
                value: Self.inOrder(value, wordBytes),
                mask: mask.map { Self.inOrder($0, wordBytes) },
                places: places
            )
        }

        private mutating func number() -> Int? {
            let digits = bytes[place...].prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            place += digits.count
            return digits.count < 10 ? Int(String(decoding: digits, as: UTF8.self)) : nil
        }

        private mutating func twoBytes() -> Int? { take(2).map { Int($0[0]) << 8 | Int($0[1]) } }

        private mutating func take(_ count: Int) -> [UInt8]? {
            guard bytes.count - place >= count else { return nil }
            defer { place += count }
            return Array(bytes[place..<place + count])
        }

        /// Bytes of words as this computer has them in memory.
        private static func inOrder(_ bytes: [UInt8], _ wordBytes: Int) -> [UInt8] {
            guard wordBytes > 1, bytes.count % wordBytes == 0, 1.littleEndian == 1 else { return bytes }
            return stride(from: 0, to: bytes.count, by: wordBytes).flatMap { bytes[$0..<$0 + wordBytes].reversed() }
        }
    }
}
