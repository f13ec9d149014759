/// One message of a continuation stream: a byte for its kind, and the stream's bytes.
///
/// Each direction carries any number of data pieces and one end; then each side reports that everything has arrived. A
/// stream has ended successfully only when both sides have reported so (Docs/Protocol.md).
package enum StreamPiece: Hashable, Sendable {
    /// The next bytes of the stream, 1 to ``maximumDataBytes``.
    case data([UInt8])
    /// The sender has no more data.
    case end
    /// The sender has delivered everything up to the other side's end.
    case arrived

    /// The most bytes of the stream in one piece: large enough that 19 bytes of overhead are negligible, small enough
    /// that two pieces are a small buffer.
    package static let maximumDataBytes = 8 * 1024

    /// The most bytes of an encoded piece.
    package static let maximumBytes = maximumDataBytes + 1

    /// Returns the encoded piece.
    package func encode() -> [UInt8] {
        switch self {
        case .data(let bytes): [0] + bytes
        case .end: [1]
        case .arrived: [2]
        }
    }

    /// Decodes a piece.
    ///
    /// - Throws: ``WireError/Code/malformed`` for anything that ``encode()`` never produces.
    package init(decoding bytes: [UInt8]) throws(WireError) {
        switch bytes.first {
        case 0 where (2...Self.maximumBytes).contains(bytes.count): self = .data(Array(bytes.dropFirst()))
        case 1 where bytes.count == 1: self = .end
        case 2 where bytes.count == 1: self = .arrived
        default: throw WireError(.malformed, "A message of \(bytes.count) bytes is not a valid piece of a stream.")
        }
    }
}
