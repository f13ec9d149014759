import HandoffWire

/// What happens next in a stream that the input describes: a byte, and a chunk.
enum StreamStep {
    /// The peer sends these bytes as a piece.
    case plaintext([UInt8])
    /// The peer sends a well-formed piece of a kind with these data; `isLate` over the radio, also after its move.
    case piece(kind: UInt8, [UInt8], isLate: Bool)
    /// The app of this device writes a piece.
    case write
    /// The app of this device takes a data piece that came over the radio.
    case take
    /// The peer opens a connection; it has not confirmed it yet.
    case open
    /// The peer confirms the connection of that number.
    case confirm(Int)
    /// This device opens a connection, and the peer answers.
    case dial
    /// The time for connecting is over.
    case giveUp

    /// Reads a step.
    ///
    /// An even byte is a plaintext. Of an odd one, bit 7 marks what this device does, else bit 6 a late piece; the bits
    /// 1 to 5 are the kind. An offer of one byte of data is a whole one, with a secret of that byte, or none if it is 0.
    init(_ input: inout FuzzInput) {
        let form = input.byte()
        let content = input.chunk()
        let kind = form >> 1 & 31
        switch (form & 1, form & 128) {
        case (0, _): self = .plaintext(content)
        case (_, 0): self = .piece(kind: kind, content, isLate: form & 64 != 0)
        default:
            self =
                switch kind % 6 {
                case 0: .write
                case 1: .take
                case 2: .open
                case 3: .confirm(Int(content.first ?? 0))
                case 4: .dial
                default: .giveUp
                }
        }
    }

    /// Returns a piece of any kind with its length and padding.
    static func encode(kind: UInt8, _ content: [UInt8]) -> [UInt8] {
        let piece = [kind, UInt8(content.count >> 8), UInt8(content.count & 0xFF)] + content
        let block = StreamPiece.blockBytes
        return piece + [UInt8](repeating: 0, count: (block - piece.count % block) % block)
    }
}
