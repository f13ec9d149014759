/// Parses the text of a signature; rejects what libdbus would reject by terminating the process.
struct SignatureParser {
    /// The maximum nesting depth of arrays, and of structures (D-Bus specification, "Valid Signatures").
    private static let maximumDepth = 32

    private let text: String
    private var rest: Substring.UTF8View
    private var arrays = 0
    private var structures = 0

    init(_ text: String) {
        self.text = text
        rest = text[...].utf8
    }

    /// Parses all types up to the end of the text.
    mutating func types() throws(DBusError) -> [ValueType] {
        guard text.utf8.count <= Signature.maximumLength else {
            throw fault("it is longer than \(Signature.maximumLength) bytes")
        }
        var types: [ValueType] = []
        while !rest.isEmpty { types.append(try type()) }
        return types
    }

    private mutating func type() throws(DBusError) -> ValueType {
        guard let code = rest.popFirst() else { throw fault("it ends in the middle of a type") }
        if let basic = Self.simple[code] { return basic }
        switch code {
        case UInt8(ascii: "a"): return try array()
        case UInt8(ascii: "("): return try structure()
        default: throw fault("it has an unknown type code or a misplaced bracket")
        }
    }

    private mutating func array() throws(DBusError) -> ValueType {
        arrays += 1
        defer { arrays -= 1 }
        guard arrays <= Self.maximumDepth else { throw fault("arrays nest deeper than \(Self.maximumDepth)") }
        guard rest.first == UInt8(ascii: "{") else { return .array(try type()) }
        rest.removeFirst()
        // A dictionary entry counts as a structure: half the depth that libdbus allows, as the specification says.
        try enterStructure()
        defer { structures -= 1 }
        let key = try type()
        guard key.isBasic else { throw fault("the key of a dictionary is not a basic type") }
        let value = try type()
        guard rest.popFirst() == UInt8(ascii: "}") else { throw fault("a dictionary entry does not have two types") }
        return .dictionary(key: key, value: value)
    }

    private mutating func structure() throws(DBusError) -> ValueType {
        try enterStructure()
        defer { structures -= 1 }
        var fields: [ValueType] = []
        while rest.first != UInt8(ascii: ")") { fields.append(try type()) }
        rest.removeFirst()
        guard !fields.isEmpty else { throw fault("a structure has no fields") }
        return .structure(fields)
    }

    private mutating func enterStructure() throws(DBusError) {
        structures += 1
        guard structures <= Self.maximumDepth else { throw fault("structures nest deeper than \(Self.maximumDepth)") }
    }

    private func fault(_ reason: String) -> DBusError {
        DBusError(.invalidName, "\(text.debugDescription) is not a D-Bus signature: \(reason)")
    }

    private static let simple: [UInt8: ValueType] = {
        let types: [ValueType] = [
            .byte, .boolean, .int16, .uint16, .int32, .uint32, .int64, .uint64, .double,
            .string, .objectPath, .signature, .unixFD, .variant,
        ]
        return Dictionary(uniqueKeysWithValues: types.map { ($0.code, $0) })
    }()
}
