import FoundationEssentials
import HandoffModel

/// What one device sends another about their circle: its statements, and its own keys (Docs/Circle.md).
///
/// Statements and keys are bytes here; `HandoffCore` gives them their meaning.
package struct CircleMessage: Hashable, Sendable {
    /// The largest number of bytes in a statement: a device under a name of 64 bytes is added.
    package static let maximumStatementBytes = 202
    /// The largest encoded size in bytes: every device of the largest circle has said all that it may.
    package static let maximumBytes =
        CircleLimits.standard.statements * (maximumStatementBytes + statementOverhead) + maximumKeyBytes
    /// The number of bytes in a digest.
    package static let digestBytes = 32
    /// The number of bytes in an advertising key with its day and its identifier.
    package static let advertisingKeyBytes = 44
    /// The number of bytes in a key for directed advertisements, which is of the same day.
    package static let directedKeyBytes = 32
    /// The number of bytes in the identifier of a key.
    package static let keyIdentifierBytes = 8

    /// The field number and the length of a statement.
    private static let statementOverhead = 3
    /// The most bytes of all fields but the statements.
    private static let maximumKeyBytes = 128

    /// The sender's statements, each with its signature; nil when the receiver is known to have the same.
    package var statements: [[UInt8]]?
    /// The digest of the sender's statements, 32 bytes.
    package var digest: [UInt8]
    /// The sender's advertising key with its day and its identifier, 44 bytes.
    package var advertisingKey: [UInt8]
    /// The key for directed advertisements to the sender, 32 bytes.
    package var directedKey: [UInt8]
    /// The identifier of the receiver's advertising key that the sender has, 8 bytes; nil when it has none.
    package var knownKey: [UInt8]?

    /// Makes a message.
    package init(
        statements: [[UInt8]]?,
        digest: [UInt8],
        advertisingKey: [UInt8],
        directedKey: [UInt8],
        knownKey: [UInt8]?
    ) {
        self.statements = statements
        self.digest = digest
        self.advertisingKey = advertisingKey
        self.directedKey = directedKey
        self.knownKey = knownKey
    }

    /// Returns the encoded message.
    package func encode() -> [UInt8] { MessageCoding.encode(Handoff_V1_CircleState(self)) }

    /// Decodes a message.
    ///
    /// - Throws: ``WireError`` when it exceeds a bound, or a field has another length than it must have.
    package init(decoding bytes: [UInt8]) throws(WireError) {
        try self.init(MessageCoding.decode(Handoff_V1_CircleState.self, from: bytes, limit: Self.maximumBytes))
    }
}

extension CircleMessage {
    /// Checks a decoded message.
    init(_ message: Handoff_V1_CircleState) throws(WireError) {
        guard message.statements.count <= CircleLimits.standard.statements else {
            throw WireError(.tooLarge, "A circle has at most \(CircleLimits.standard.statements) statements.")
        }
        try Self.check(message.digest, Self.digestBytes, "The digest of a circle")
        try Self.check(message.advertisingKey, Self.advertisingKeyBytes, "The advertising key of a device")
        try Self.check(message.directedKey, Self.directedKeyBytes, "The key for directed advertisements")
        if !message.knownKey.isEmpty {
            try Self.check(message.knownKey, Self.keyIdentifierBytes, "The identifier of a key")
        }
        self.init(
            statements: message.statements.isEmpty ? nil : message.statements.map(Array.init),
            digest: Array(message.digest),
            advertisingKey: Array(message.advertisingKey),
            directedKey: Array(message.directedKey),
            knownKey: message.knownKey.isEmpty ? nil : Array(message.knownKey)
        )
    }

    private static func check(_ field: Data, _ count: Int, _ name: String) throws(WireError) {
        guard field.count == count else {
            throw WireError(.invalidContent, "\(name) must have \(count) bytes, got \(field.count).")
        }
    }
}

extension Handoff_V1_CircleState {
    /// Converts a message.
    init(_ message: CircleMessage) {
        self.init()
        statements = (message.statements ?? []).map { Data($0) }
        digest = Data(message.digest)
        advertisingKey = Data(message.advertisingKey)
        directedKey = Data(message.directedKey)
        knownKey = Data(message.knownKey ?? [])
    }
}
