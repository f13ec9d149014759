/// Reads JSON (RFC 8259) once from its beginning on, and makes no values of what nobody asks for.
package struct JSONScanner {
    /// How much is asked of the text.
    package enum Strictness: Hashable, Sendable {
        /// All that the standard asks, and that no key occurs twice in an object.
        case standard
        /// That objects, lists and strings have an end: for a program that quotes texts of others and does not always make
        /// valid JSON of them. Strings need not be UTF-8, and escapes in them stay as they are.
        case structure
    }

    /// What is wrong with a text; it nests too deep, or is not what was asked for.
    package struct Fault: Error, Hashable, Sendable {
        /// A sentence without its full stop.
        package let message: String

        package init(_ message: String) { self.message = message }
    }

    package typealias Member = (inout JSONScanner, _ key: String) throws(Fault) -> Void
    package typealias Element = (inout JSONScanner) throws(Fault) -> Void

    private let bytes: [UInt8]
    private let strictness: Strictness
    private let maximumDepth: Int
    private var position = 0
    private var depth = 0

    /// - Parameters:
    ///   - bytes: the text.
    ///   - strictness: how much is asked of it.
    ///   - maximumDepth: the deepest nesting of objects and lists.
    package init(_ bytes: [UInt8], _ strictness: Strictness, maximumDepth: Int) {
        (self.bytes, self.strictness, self.maximumDepth) = (bytes, strictness, maximumDepth)
    }

    /// Reads the whole text, which has to be one object in UTF-8; `member` reads each value.
    package mutating func readDocument(_ member: Member) throws(Fault) {
        guard String(validating: bytes, as: UTF8.self) != nil else { throw fault("it is not in UTF-8") }
        try readObject(member)
        skipBlanks()
        guard position == bytes.count else { throw fault("there is something after its end") }
    }

    /// Reads an object; `member` reads each value.
    package mutating func readObject(_ member: Member) throws(Fault) {
        // Swift compares texts that are canonically equivalent as equal; keys are equal by their bytes.
        var keys: Set<[UInt8]> = []
        try readList("{", "}", "an object") { scanner throws(Fault) in
            let key = try scanner.readString()
            if scanner.strictness == .standard, !keys.insert(Array(key.utf8)).inserted {
                throw scanner.fault("a key occurs twice in an object")
            }
            scanner.skipBlanks()
            try scanner.expect(":", "a colon")
            try member(&scanner, key)
        }
    }

    /// Reads a list; `element` reads each value.
    package mutating func readArray(_ element: Element) throws(Fault) {
        try readList("[", "]", "a list", element)
    }

    /// Reads a list, of which `element` reads each value; reads any other value, and drops it.
    package mutating func readArrayIfPresent(_ element: Element) throws(Fault) {
        skipBlanks()
        if next == UInt8(ascii: "[") { try readArray(element) } else { try skipValue() }
    }

    /// Reads a value of any kind, and drops it.
    package mutating func skipValue() throws(Fault) {
        skipBlanks()
        switch next {
        case UInt8(ascii: "{"): try readObject { scanner, _ throws(Fault) in try scanner.skipValue() }
        case UInt8(ascii: "["): try readArray { scanner throws(Fault) in try scanner.skipValue() }
        case UInt8(ascii: "\""): _ = try readString()
        default: try skipWord()
        }
    }

    /// Reads a whole number; nil for one that is too large, and for any other value.
    package mutating func readInteger() throws(Fault) -> Int64? {
        Int64(String(decoding: try takeValue(), as: UTF8.self))
    }

    /// Reads a value, and returns whether it is true.
    package mutating func readBool() throws(Fault) -> Bool {
        try takeValue().elementsEqual("true".utf8)
    }

    /// Reads a string.
    package mutating func readString() throws(Fault) -> String {
        skipBlanks()
        try expect("\"", "a string")
        var text: [UInt8] = []
        while let byte = take() {
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\") where strictness == .structure: text += [byte] + [take()].compactMap(\.self)
            case UInt8(ascii: "\\"): text += Array(String(try readEscape()).utf8)
            case 0x20...: text.append(byte)
            default:
                guard strictness == .structure else { throw fault("a string has a control character") }
                text.append(byte)
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
    ) throws(Fault) {
        skipBlanks()
        try expect(start, what)
        depth += 1
        guard depth <= maximumDepth else { throw fault("it nests more than \(maximumDepth) deep") }
        defer { depth -= 1 }
        skipBlanks()
        if skip(end) { return }
        repeat {
            try element(&self)
            skipBlanks()
        } while skip(",")
        try expect(end, "the end of \(what)")
    }

    private mutating func readEscape() throws(Fault) -> Unicode.Scalar {
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
    private mutating func readCodePoint() throws(Fault) -> Unicode.Scalar {
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

    private mutating func readUnit() throws(Fault) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = take(), let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw fault("a string has an unknown escape")
            }
            unit = unit << 4 | UInt32(digit)
        }
        return unit
    }

    private mutating func skipNumber() throws(Fault) {
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

    /// Passes over a number, `true`, `false` or `null`.
    private mutating func skipWord() throws(Fault) {
        if strictness == .structure {
            let start = position
            while let byte = next, Self.isOfWord(byte) { position += 1 }
            guard position > start else { throw fault("a value is missing or unknown") }
        } else if let word = ["true", "false", "null"].first(where: { bytes[position...].starts(with: $0.utf8) }) {
            position += word.utf8.count
        } else {
            try skipNumber()
        }
    }

    /// Whether a byte may be one of a number, or of `true`, `false` or `null`.
    private static func isOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    private mutating func takeValue() throws(Fault) -> ArraySlice<UInt8> {
        skipBlanks()
        let start = position
        try skipValue()
        return bytes[start..<position]
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

    private mutating func expect(_ scalar: Unicode.Scalar, _ what: String) throws(Fault) {
        guard skip(scalar) else { throw fault("\(what) is missing") }
    }

    private func fault(_ what: String) -> Fault { Fault("\(what), at byte \(position)") }
}
