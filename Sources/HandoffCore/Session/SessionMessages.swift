import HandoffCrypto
import HandoffWire

/// Reassembles the padded messages of one direction of a session from its fragments.
struct SessionMessageReader: Sendable {
    private let maximumLength: Int
    private var assembler: MessageAssembler

    /// Creates a reader of messages that have at most `maximumLength` bytes without their padding.
    init(maximumLength: Int) {
        self.maximumLength = maximumLength
        assembler = MessageAssembler(maximumLength: MessagePadding.size(of: maximumLength))
    }

    /// Adds a fragment and returns the message that it completes; nil when more fragments follow.
    ///
    /// - Throws: `WireError`.
    mutating func append(_ fragment: [UInt8]) throws(WireError) -> [UInt8]? {
        guard let padded = try assembler.append(fragment) else { return nil }
        let message = try MessagePadding.unpad(padded)
        guard message.count <= maximumLength else {
            throw WireError(.tooLarge, "A message of \(message.count) bytes exceeds the limit of \(maximumLength).")
        }
        return message
    }
}

/// Pads messages and splits them into fragments.
enum SessionMessageWriter {
    /// Returns the fragments of a message that is padded to at least `minimum` bytes; at least one.
    static func fragments(of message: [UInt8], paddedToAtLeast minimum: Int) -> [[UInt8]] {
        MessageFragmenter().fragments(of: MessagePadding.pad(message, toAtLeast: minimum))
    }

    /// Returns the frames of a message, encrypted under the session's key.
    ///
    /// - Throws: `CryptoError` when the session's key is exhausted.
    static func frames(
        of message: [UInt8],
        paddedToAtLeast minimum: Int,
        with transport: inout NoiseTransport
    ) throws(CryptoError) -> [UInt8] {
        var bytes: [UInt8] = []
        for fragment in fragments(of: message, paddedToAtLeast: minimum) {
            bytes += FrameCodec.encode(try transport.encrypt(fragment))
        }
        return bytes
    }
}
