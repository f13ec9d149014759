/// One message of a continuation stream: a byte for its kind, and the stream's bytes.
///
/// Each direction carries any number of data pieces and one end; then each side reports that everything has arrived. A
/// stream has ended successfully only when both sides have reported so (Docs/Protocol.md).
///
/// It begins with one offer of each side, and may move from the radio to a connection over the local network: then a
/// move is the last piece over the radio, and the next one comes over the connection.
///
/// A piece is padded with zeros to a multiple of ``blockBytes``, so that its length does not tell how many characters a
/// user has typed, nor an end from a few bytes of data.
package enum StreamPiece: Hashable, Sendable {
    /// The next bytes of the stream, 1 to ``maximumDataBytes``.
    case data([UInt8])
    /// The sender has no more data.
    case end
    /// The sender has delivered everything up to the other side's end.
    case arrived
    /// Where the sender can be reached on a local network; nil for nowhere. The first piece of each side.
    case offer(NetworkOffer?)
    /// All further pieces of the sender come over that connection.
    case move(NetworkConnectionID)
    /// The sender is still there.
    case alive
    /// The sender has passed one more data piece on that came over the radio.
    case taken

    /// The most bytes of the stream in one piece over the radio: large enough that the overhead of 82 bytes, 1 %, is
    /// negligible, small enough that the pieces in transit are a small buffer.
    package static let maximumDataBytes = 8 * 1024

    /// The encoded size of every piece is a multiple of this: a line of text that a user types fits one block.
    package static let blockBytes = 64

    /// The most bytes of an encoded piece over the radio.
    package static let maximumBytes = size(of: maximumDataBytes)

    /// The most bytes of the stream in one piece over a local network: the most that fits a frame with its padding and
    /// its tag, because each piece costs the same.
    package static let maximumNetworkDataBytes = maximumNetworkBytes - headerBytes

    /// The most bytes of an encoded piece over a local network.
    package static let maximumNetworkBytes = (FrameCodec.maximumLength - 16) / blockBytes * blockBytes

    /// The kind, and the number of bytes of data in 2 bytes.
    private static let headerBytes = 3

    /// Returns the encoded size of a piece with `count` bytes of data.
    private static func size(of count: Int) -> Int {
        (headerBytes + count + blockBytes - 1) / blockBytes * blockBytes
    }

    /// Returns the encoded piece.
    package func encode() -> [UInt8] {
        switch self {
        case .data(let bytes): Self.encode(data: bytes[...])
        case .end: Self.encode(kind: 1, [])
        case .arrived: Self.encode(kind: 2, [])
        case .offer(let offer): Self.encode(kind: 3, NetworkOffer.encode(offer))
        case .move(let connection): Self.encode(kind: 4, connection.bytes)
        case .alive: Self.encode(kind: 5, [])
        case .taken: Self.encode(kind: 6, [])
        }
    }

    /// Returns an encoded piece with data, 1 to ``maximumNetworkDataBytes``.
    package static func encode(data: ArraySlice<UInt8>) -> [UInt8] {
        encode(kind: 0, data)
    }

    private static func encode(kind: UInt8, _ data: some RandomAccessCollection<UInt8>) -> [UInt8] {
        let size = size(of: data.count)
        var piece = [kind, UInt8(data.count >> 8), UInt8(data.count & 0xFF)]
        piece.reserveCapacity(size)
        piece += data
        piece += repeatElement(0, count: size - piece.count)
        return piece
    }

    /// Decodes a piece.
    ///
    /// - Throws: ``WireError/Code/invalidPadding`` for another size or other bytes than those that the number of bytes of
    ///   data requires, ``WireError/Code/malformed`` for anything else that ``encode()`` never produces.
    package init(decoding bytes: [UInt8]) throws(WireError) {
        guard bytes.count >= Self.headerBytes else { throw Self.invalid(bytes) }
        let count = Int(bytes[1]) << 8 | Int(bytes[2])
        guard bytes.count == Self.size(of: count), bytes.dropFirst(Self.headerBytes + count).allSatisfy({ $0 == 0 })
        else {
            throw WireError(
                .invalidPadding,
                "A piece of a stream with \(count) bytes of data is not padded with zeros."
            )
        }
        let data = Array(bytes[Self.headerBytes..<(Self.headerBytes + count)])
        switch (bytes[0], count) {
        case (0, 1...Self.maximumNetworkDataBytes): self = .data(data)
        case (1, 0): self = .end
        case (2, 0): self = .arrived
        case (3, _): self = .offer(try NetworkOffer.decode(data))
        case (4, _):
            guard let connection = NetworkConnectionID(bytes: data) else { throw Self.invalid(bytes) }
            self = .move(connection)
        case (5, 0): self = .alive
        case (6, 0): self = .taken
        default: throw Self.invalid(bytes)
        }
    }

    private static func invalid(_ bytes: [UInt8]) -> WireError {
        WireError(.malformed, "A message of \(bytes.count) bytes is not a valid piece of a stream.")
    }
}
