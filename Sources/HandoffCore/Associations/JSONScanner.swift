/// Reads a JSON document (RFC 8259) once from its beginning to its end, and makes no values of what nobody asks for.
///
/// Numbers are checked and never converted, so that none is too large.
struct JSONScanner {
    /// The deepest nesting of objects and lists: Apple's format has eight levels.
    static let maximumDepth = 32

    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    typealias Member = (inout JSONScanner, _ key: String) throws(SiteFailure) -> Void
    typealias Element = (inout JSONScanner) throws(SiteFailure) -> Void

    /// Reads the whole document, which has to be an object; `member` reads each value.
    mutating func readDocument(_ member: Member) throws(SiteFailure) {
        guard String(validating: bytes, as: UTF8.self) != nil else { throw fault("it is not in UTF-8") }
        try readObject(member)
        skipBlanks()
        guard position == bytes.count else { throw fault("there is something after its end") }
    }

    /// Reads an object; `member` reads each value.
    mutating func readObject(_ member: Member) throws(SiteFailure) {
        // Swift compares texts that are canonically equivalent as equal; keys are equal by their bytes.
        var keys: Set<[UInt8]> = []
        try readList("{", "}", "an object") { scanner throws(SiteFailure) in
            let key = try scanner.readString()
            guard keys.insert(Array(key.utf8)).inserted else { throw scanner.fault("a key occurs twice in an object") }
            scanner.skipBlanks()
            try scanner.expect(":", "a colon")
            try member(&scanner, key)
        }
    }

    /// Reads a list; `element` reads each value.
    mutating func readArray(_ element: Element) throws(SiteFailure) {
        try readList("[", "]", "a list", element)
    }

    /// Reads a value of any kind, and drops it.
    mutating func skipValue() throws(SiteFailure) {
        skipBlanks()
        switch next {
        case UInt8(ascii: "{"): try readObject { scanner, _ throws(SiteFailure) in try scanner.skipValue() }
        case UInt8(ascii: "["): try readArray { scanner throws(SiteFailure) in try scanner.skipValue() }
        case UInt8(ascii: "\""): _ = try readString()
        case UInt8(ascii: "t"): try skipWord("true")
        case UInt8(ascii: "f"): try skipWord("false")
        case UInt8(ascii: "n"): try skipWord("null")
        default: try skipNumber()
        }
    }

    /// Reads a string.
    mutating func readString() throws(SiteFailure) -> String {
        skipBlanks()
        try expect("\"", "a string")
        var text: [UInt8] = []
        while let byte = take() {
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): text += Array(String(try readEscape()).utf8)
            case 0x20...: text.append(byte)
            default: throw fault("a string has a control character")
            }
        }
        throw fault("a string has no end")
    }

    // MARK: Parts

    private mutating func readList(
        _ start: Unicode.Scalar,
        _ end: Unicode.Scalar,
        _ what: String,
        _ element: Element
    ) throws(SiteFailure) {
        skipBlanks()
        try expect(start, what)
        depth += 1
        guard depth <= Self.maximumDepth else { throw fault("it nests more than \(Self.maximumDepth) deep") }
        defer { depth -= 1 }
        skipBlanks()
        if skip(end) { return }
        repeat {
            try element(&self)
            skipBlanks()
        } while skip(",")
        try expect(end, "the end of \(what)")
    }

    private mutating func readEscape() throws(SiteFailure) -> Unicode.Scalar {
        switch take() {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try readCodePoint()
        default: throw fault("a string has an unknown escape")
        }
    }

    /// Reads the digits of `\u`, and of the second half of a surrogate pair.
    private mutating func readCodePoint() throws(SiteFailure) -> Unicode.Scalar {
        let unit = try readUnit()
        guard (0xD800...0xDBFF).contains(unit) else {
            guard let scalar = Unicode.Scalar(unit) else { throw fault("a string has half a character") }
            return scalar
        }
        guard skip("\\"), skip("u") else { throw fault("a string has half a character") }
        let low = try readUnit()
        guard (0xDC00...0xDFFF).contains(low),
            let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + low - 0xDC00)
        else { throw fault("a string has half a character") }
        return scalar
    }

    private mutating func readUnit() throws(SiteFailure) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = take(), let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw fault("a string has an unknown escape")
            }
            unit = unit << 4 | UInt32(digit)
        }
        return unit
    }

    private mutating func skipNumber() throws(SiteFailure) {
        _ = skip("-")
        let start = next
        let digits = skipDigits()
        guard digits > 0, digits == 1 || start != UInt8(ascii: "0") else {
            throw fault("a value is missing or unknown")
        }
        if skip(".") { guard skipDigits() > 0 else { throw fault("a number is not complete") } }
        if skip("e") || skip("E") {
            if !skip("+") { _ = skip("-") }
            guard skipDigits() > 0 else { throw fault("a number is not complete") }
        }
    }

    private mutating func skipDigits() -> Int {
        let start = position
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        return position - start
    }

    private mutating func skipWord(_ word: String) throws(SiteFailure) {
        guard bytes[position...].starts(with: word.utf8) else { throw fault("a value is missing or unknown") }
        position += word.utf8.count
    }

    private mutating func skipBlanks() {
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
    }

    // MARK: Bytes

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func take() -> UInt8? {
        guard let byte = next else { return nil }
        position += 1
        return byte
    }

    private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: scalar) else { return false }
        position += 1
        return true
    }

    private mutating func expect(_ scalar: Unicode.Scalar, _ what: String) throws(SiteFailure) {
        guard skip(scalar) else { throw fault("\(what) is missing") }
    }

    private func fault(_ what: String) -> SiteFailure { SiteFailure(.invalidFile, "\(what), at byte \(position)") }
}
