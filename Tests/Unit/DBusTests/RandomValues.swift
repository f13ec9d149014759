import DBus

/// A generator that gives the same numbers for the same seed (SplitMix64, Steele, Lea and Flood 2014).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// Random values of all types that can be sent, except file descriptors and NaN, which are not equal to themselves.
struct RandomValues {
    var generator: SeededGenerator

    private static let basics: [ValueType] = [
        .byte, .boolean, .int16, .uint16, .int32, .uint32, .int64, .uint64, .double, .string, .objectPath, .signature,
    ]

    mutating func type(depth: Int = 0) -> ValueType {
        let basic = Self.basics[Int.random(in: 0..<Self.basics.count, using: &generator)]
        if depth >= 4 { return basic }
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: return .array(type(depth: depth + 1))
        case 1: return .dictionary(key: basic, value: type(depth: depth + 1))
        case 2: return .structure((0...Int.random(in: 0...2, using: &generator)).map { _ in type(depth: depth + 1) })
        case 3: return .variant
        default: return basic
        }
    }

    mutating func value(of type: ValueType, depth: Int = 0) -> Value {
        let count = depth > 5 ? 0 : Int.random(in: 0...4, using: &generator)
        switch type {
        case .array(.byte): return .bytes((0..<count).map { _ in .random(in: 0...255, using: &generator) })
        case .array(let element):
            return .array(of: element, (0..<count).map { _ in value(of: element, depth: depth + 1) })
        case .dictionary(let key, let content):
            let entries = (0..<count).map { _ in
                DictionaryEntry(key: value(of: key), value: value(of: content, depth: depth + 1))
            }
            return .dictionary(key: key, value: content, entries)
        case .structure(let fields): return .structure(fields.map { value(of: $0, depth: depth + 1) })
        case .variant:
            let content = depth > 3 ? .uint16 : self.type(depth: depth)
            return .variant(value(of: content, depth: depth + 1))
        default: return basic(type)
        }
    }

    private mutating func basic(_ type: ValueType) -> Value {
        let bits = generator.next()
        switch type {
        case .byte: return .byte(UInt8(truncatingIfNeeded: bits))
        case .boolean: return .boolean(bits & 1 == 1)
        case .int16: return .int16(Int16(truncatingIfNeeded: bits))
        case .uint16: return .uint16(UInt16(truncatingIfNeeded: bits))
        case .int32: return .int32(Int32(truncatingIfNeeded: bits))
        case .uint32: return .uint32(UInt32(truncatingIfNeeded: bits))
        case .int64: return .int64(Int64(bitPattern: bits))
        case .uint64: return .uint64(bits)
        case .double: return .double(Double(Int64(bitPattern: bits)) / 7)
        case .objectPath: return .objectPath(ObjectPath.root.appending("p\(bits)"))
        case .signature: return .signature((try? Signature(["", "a{sv}", "(ii)", "s"][Int(bits & 3)])) ?? Self.empty)
        default: return .string(string())
        }
    }

    private static let empty: Signature = {
        do { return try Signature("") } catch { preconditionFailure("the empty signature is valid") }
    }()

    private mutating func string() -> String {
        let scalars = (0..<Int.random(in: 0...12, using: &generator)).compactMap { _ in
            Unicode.Scalar(UInt32.random(in: 1...0x1_1FFF, using: &generator))
        }
        return String(String.UnicodeScalarView(scalars))
    }
}
