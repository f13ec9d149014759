package import HandoffCrypto
package import HandoffModel

/// What one device says about another device of the circle, or about itself (Docs/Circle.md, "Statements").
package enum CircleStatement: Hashable, Sendable {
    /// The author trusts the device with these keys, under this name.
    case add(author: DeviceID, DevicePublicKeys, name: String)
    /// The author does not trust the subject, for ever.
    case remove(author: DeviceID, DeviceID)
    /// The author calls the subject so; of two such names the one with the higher version counts.
    case name(author: DeviceID, DeviceID, version: UInt32, String)

    /// What a statement is about: of two statements in one place, a circle keeps one.
    package struct Place: Hashable, Sendable, Comparable {
        /// The kind of a statement; the raw value is its first byte.
        package enum Kind: UInt8, Hashable, Sendable {
            case add = 1
            case remove = 2
            case name = 3
        }

        package let kind: Kind
        package let author: DeviceID
        package let subject: DeviceID
        /// The keys of an addition: two devices that share an identifier, which can be searched for, have two places.
        package let keys: DevicePublicKeys?

        init(kind: Kind, author: DeviceID, subject: DeviceID, keys: DevicePublicKeys? = nil) {
            self.kind = kind
            self.author = author
            self.subject = subject
            self.keys = keys
        }

        package static func < (one: Self, other: Self) -> Bool {
            let (left, right) = (one.keys?.rawRepresentation ?? [], other.keys?.rawRepresentation ?? [])
            return (one.kind.rawValue, one.author, one.subject) == (other.kind.rawValue, other.author, other.subject)
                ? left.lexicographicallyPrecedes(right)
                : (one.kind.rawValue, one.author, one.subject) < (other.kind.rawValue, other.author, other.subject)
        }
    }

    /// Compares the contents: two names are the same only with the same bytes, although Swift takes texts for equal that
    /// are written with other characters of Unicode.
    package static func == (one: Self, other: Self) -> Bool { one.content == other.content }

    package func hash(into hasher: inout Hasher) { hasher.combine(content) }

    /// The device that says it.
    package var author: DeviceID {
        switch self {
        case .add(let author, _, _), .remove(let author, _), .name(let author, _, _, _): author
        }
    }

    /// The device about which it is said.
    package var subject: DeviceID {
        switch self {
        case .add(_, let keys, _): keys.device
        case .remove(_, let subject), .name(_, let subject, _, _): subject
        }
    }

    /// What the statement is about.
    package var place: Place {
        switch self {
        case .add(let author, let keys, _): Place(kind: .add, author: author, subject: keys.device, keys: keys)
        case .remove(let author, let subject): Place(kind: .remove, author: author, subject: subject)
        case .name(let author, let subject, _, _): Place(kind: .name, author: author, subject: subject)
        }
    }

    /// Whether this statement stays, and `other` goes, when both have one place: a fixed order, the same everywhere.
    package func outranks(_ other: CircleStatement) -> Bool {
        switch (self, other) {
        case (.name(_, _, let version, _), .name(_, _, let others, _)) where version != others: version > others
        case (.name, _): other.content.lexicographicallyPrecedes(content)
        case (.add, _), (.remove, _): content.lexicographicallyPrecedes(other.content)
        }
    }
}

// MARK: Bytes

extension CircleStatement {
    /// The bytes that the author signs; numbers are big-endian.
    package var content: [UInt8] {
        switch self {
        case .add(let author, let keys, let name):
            [Place.Kind.add.rawValue] + author.bytes + keys.rawRepresentation + Self.counted(name)
        case .remove(let author, let subject):
            [Place.Kind.remove.rawValue] + author.bytes + subject.bytes
        case .name(let author, let subject, let version, let name):
            [Place.Kind.name.rawValue] + author.bytes + subject.bytes + version.bigEndianBytes + Self.counted(name)
        }
    }

    /// Decodes the bytes that an author has signed; returns nil for anything that ``content`` does not produce.
    package init?(content bytes: [UInt8]) {
        var rest = bytes[...]
        guard let kind = rest.popFirst().flatMap(Place.Kind.init), let author = Self.device(&rest) else { return nil }
        switch kind {
        case .add:
            guard let keys = try? DevicePublicKeys(rawRepresentation: rest.prefix(DevicePublicKeys.byteCount)),
                let name = Self.name(in: rest.dropFirst(DevicePublicKeys.byteCount))
            else { return nil }
            self = .add(author: author, keys, name: name)
        case .remove:
            guard let subject = Self.device(&rest), rest.isEmpty else { return nil }
            self = .remove(author: author, subject)
        case .name:
            guard let subject = Self.device(&rest), rest.count > 4, let name = Self.name(in: rest.dropFirst(4)) else {
                return nil
            }
            let version = rest.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            self = .name(author: author, subject, version: version, name)
        }
    }

    private static func device(_ rest: inout ArraySlice<UInt8>) -> DeviceID? {
        defer { rest = rest.dropFirst(DeviceID.byteCount) }
        return try? DeviceID(bytes: rest.prefix(DeviceID.byteCount))
    }

    private static func counted(_ name: String) -> [UInt8] {
        precondition(Self.isName(name), "a name in a statement has 1 to 64 bytes")
        return [UInt8(name.utf8.count)] + Array(name.utf8)
    }

    private static func name(in rest: ArraySlice<UInt8>) -> String? {
        guard let count = rest.first, rest.count == 1 + Int(count),
            let name = String(validating: rest.dropFirst(), as: UTF8.self), isName(name)
        else { return nil }
        return name
    }

    private static func isName(_ name: String) -> Bool { (1...DeviceName.maximumBytes).contains(name.utf8.count) }
}

extension UInt32 {
    fileprivate var bigEndianBytes: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: self >> (24 - 8 * $0)) } }
}
