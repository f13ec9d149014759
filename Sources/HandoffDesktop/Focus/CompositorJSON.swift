/// Reads JSON of a compositor from its beginning on, and makes no values of what nobody asks for.
///
/// It holds texts of apps, such as the titles of their windows, and not every compositor makes valid JSON of each of them. So
/// it need not be UTF-8, and nothing is asked of texts but that they have an end.
struct CompositorJSON {
    /// It is not JSON, or nests too deep.
    struct Malformed: Error {}

    typealias Member = (inout CompositorJSON, _ key: String) throws(Malformed) -> Void
    typealias Element = (inout CompositorJSON) throws(Malformed) -> Void

    /// The deepest nesting of objects and lists.
    ///
    /// A window is two levels deeper than the container around it.
    private static let deepest = 128

    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Reads an object; `member` reads each value.
    mutating func readObject(_ member: Member) throws(Malformed) {
        try readList("{", "}") { json throws(Malformed) in
            let key = try json.readString()
            guard json.skip(":") else { throw Malformed() }
            try member(&json, key)
        }
    }

    /// Reads a list, of which `element` reads each value; passes over any other value.
    mutating func readArray(_ element: Element) throws(Malformed) {
        if next == UInt8(ascii: "[") { try readList("[", "]", element) } else { try skipValue() }
    }

    /// Reads a text, in which escapes stay as they are.
    mutating func readString() throws(Malformed) -> String {
        guard skip("\"") else { throw Malformed() }
        let start = position
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                position += 1
                return String(decoding: bytes[start..<position - 1], as: UTF8.self)
            case UInt8(ascii: "\\"): position += 2
            default: position += 1
            }
        }
        throw Malformed()
    }

    /// Reads a whole number; nil for one that is too large, and for any other value.
    mutating func readInteger() throws(Malformed) -> Int64? {
        _ = next
        let start = position
        try skipValue()
        return Int64(String(decoding: bytes[start..<position], as: UTF8.self))
    }

    /// Reads a value, and returns whether it is true.
    mutating func readBool() throws(Malformed) -> Bool {
        _ = next
        let start = position
        try skipValue()
        return bytes[start..<position].elementsEqual("true".utf8)
    }

    /// Passes over a value of any kind.
    mutating func skipValue() throws(Malformed) {
        switch next {
        case UInt8(ascii: "{"): try readObject { json, _ throws(Malformed) in try json.skipValue() }
        case UInt8(ascii: "["): try readList("[", "]") { json throws(Malformed) in try json.skipValue() }
        case UInt8(ascii: "\""): _ = try readString()
        default:
            let start = position
            while position < bytes.count, Self.isOfWord(bytes[position]) { position += 1 }
            guard position > start else { throw Malformed() }
        }
    }

    private mutating func readList(
        _ start: Unicode.Scalar,
        _ end: Unicode.Scalar,
        _ element: Element
    ) throws(Malformed) {
        depth += 1
        guard skip(start), depth <= Self.deepest else { throw Malformed() }
        defer { depth -= 1 }
        if skip(end) { return }
        repeat { try element(&self) } while skip(",")
        guard skip(end) else { throw Malformed() }
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

    /// The next byte that is no blank, which is not passed; nil at the end.
    private var next: UInt8? {
        mutating get {
            while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) { position += 1 }
            return position < bytes.count ? bytes[position] : nil
        }
    }

    private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: scalar) else { return false }
        position += 1
        return true
    }
}
