import HandoffCore
import HandoffCrypto
import HandoffWire

/// The listening side of a session with known keys.
struct ListenerHarness {
    private var handshake: NoiseHandshake
    private(set) var transport: NoiseTransport?

    /// Reads the caller's first frame; nil when it was not sent to this device.
    init?(_ keys: FuzzKeys, answering opening: [UInt8]) {
        handshake = keys.listeningPeer
        guard (try? handshake.readMessage(Array(opening.dropFirst(2)))) != nil else { return nil }
    }

    /// Returns the next frame, with that plaintext; nil when the plaintext is too long.
    mutating func frame(_ plaintext: [UInt8]) -> [UInt8]? {
        if transport != nil { return transport?.frame(plaintext) }
        guard let message = try? handshake.writeMessage(plaintext) else { return nil }
        transport = try? handshake.split()
        return FrameCodec.encode(message)
    }

    /// Returns the message in frames of the caller; nil when it cannot be read.
    mutating func message(in bytes: [UInt8]) -> [UInt8]? { transport?.message(in: bytes) }
}

extension NoiseTransport {
    /// Returns the frame of a plaintext; nothing when it is too long.
    mutating func frame(_ plaintext: [UInt8]) -> [UInt8] {
        guard let sealed = try? encrypt(plaintext), sealed.count <= FrameCodec.maximumLength else { return [] }
        return FrameCodec.encode(sealed)
    }

    /// Returns the message in frames of the other side, without its padding; nil when it cannot be read.
    mutating func message(in bytes: [UInt8]) -> [UInt8]? {
        var frames = FrameDecoder(maximumLength: FrameCodec.maximumLength)
        var assembler = MessageAssembler(maximumLength: MessagePadding.maximumMessageBytes + MessagePadding.lengthBytes)
        guard (try? frames.append(bytes)) != nil else { return nil }
        while let frame = try? frames.next() {
            guard let fragment = try? decrypt(frame) else { return nil }
            if let padded = try? assembler.append(fragment) { return try? MessagePadding.unpad(padded) }
        }
        return nil
    }
}

extension [UInt8] {
    /// The bytes in pieces of that size; the last one may be shorter.
    func pieces(of size: Int) -> [[UInt8]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}
