/// What travels in one message of a continuation stream: a byte that says what it is, and the stream's bytes.
///
/// Each direction is any number of data and one end; then each side tells that all of it has arrived. Only a stream on
/// which both sides have told so has ended well (Docs/Protocol.md).
package enum StreamPiece: Hashable, Sendable {
    /// The next bytes of the stream, 1 to ``maximumDataBytes``.
    case data([UInt8])
    /// The sender writes no more.
    case end
    /// The sender has passed on everything up to the other side's end.
    case arrived

    /// The most bytes of the stream in one piece: large enough that 19 bytes around it do not count, small enough that
    /// two of them are a small buffer.
    package static let maximumDataBytes = 8 * 1024

    /// The most bytes of an encoded piece.
    package static let maximumBytes = maximumDataBytes + 1

    /// The bytes of the piece.
    package func encode() -> [UInt8] {
        switch self {
        case .data(let bytes): [0] + bytes
        case .end: [1]
        case .arrived: [2]
        }
    }

    /// Reads a piece.
    ///
    /// - Throws: ``WireError/Code/malformed`` for anything that ``encode()`` never makes.
    package init(decoding bytes: [UInt8]) throws(WireError) {
        switch bytes.first {
        case 0 where (2...Self.maximumBytes).contains(bytes.count): self = .data(Array(bytes.dropFirst()))
        case 1 where bytes.count == 1: self = .end
        case 2 where bytes.count == 1: self = .arrived
        default: throw WireError(.malformed, "A message of \(bytes.count) bytes is no piece of a stream.")
        }
    }
}
