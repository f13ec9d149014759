import HandoffCrypto
import HandoffWire

/// Which rule a peer has broken so that its session ended: the words of Docs/Protocol.md, "What ends a session".
///
/// The peer is not told: its channel is closed. The words are for logs, and for the vectors by which implementations are
/// compared.
package enum ProtocolViolation: String, CaseIterable, Codable, Hashable, Sendable {
    /// A frame without bytes.
    case emptyFrame
    /// A frame that is longer than allowed in this state, as soon as its length is known.
    case longFrame
    /// A greeting of fewer than 16 bytes.
    case invalidGreeting
    /// A first message that opens for none of the listener's devices.
    case unknownCaller
    /// A message that does not decrypt: altered, repeated, out of order, too short, or of somebody else.
    case undecryptable
    /// An ephemeral key with which the agreement is 32 zero bytes.
    case weakKey
    /// A message at a time when this side waits for none.
    case outOfTurn
    /// A fragment without a flag or with an unknown one, an empty one that is not the last, or a request that does not end
    /// with its first one.
    case invalidFragment
    /// A message that is longer than its kind may be, with or without its padding.
    case tooLarge
    /// Padding of another size, with another byte than zero, or that is too short for the length of the message.
    case invalidPadding
    /// Bytes that are not a message.
    case malformed
    /// A message with a value that is not allowed.
    case invalidContent
    /// A message of a kind that only a newer version knows.
    case unknownKind

    init?(_ error: WireError) {
        self.init(rawValue: error.code.description)
    }

    init?(_ error: CryptoError) {
        switch error.code {
        case .authenticationFailed, .malformed: self = .undecryptable
        case .weakKey: self = .weakKey
        default: return nil
        }
    }
}
