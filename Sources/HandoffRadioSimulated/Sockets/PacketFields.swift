/// Encodes a sequence of fields, each after its length.
struct PacketWriter {
    private(set) var bytes: [UInt8] = []

    /// Appends at most 255 bytes.
    mutating func append(_ field: [UInt8]) {
        bytes.append(UInt8(field.count))
        bytes += field
    }

    mutating func append(_ field: String) {
        append(Array(field.utf8))
    }

    mutating func append(_ field: UInt64) {
        append((0..<8).map { UInt8(truncatingIfNeeded: field >> (8 * UInt64($0))) })
    }
}

/// Decodes the fields that a ``PacketWriter`` wrote; its methods return nil for invalid fields.
struct PacketReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    mutating func bytes() -> [UInt8]? {
        guard let length = rest.popFirst(), rest.count >= Int(length) else { return nil }
        defer { rest.removeFirst(Int(length)) }
        return Array(rest.prefix(Int(length)))
    }

    mutating func text() -> String? {
        bytes().flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// The name of a station.
    mutating func name() -> String? {
        text().flatMap { StationName.isValid($0) ? $0 : nil }
    }

    mutating func number() -> UInt64? {
        guard let field = bytes(), field.count == 8 else { return nil }
        return field.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
