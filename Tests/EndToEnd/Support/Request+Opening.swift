import HandoffCrypto
import HandoffWire

extension Request {
    /// Returns the bytes with which the device whose keys are `keys` opens a session for this request, after `greeting`.
    func opening(by keys: DeviceKeys, to peer: DevicePublicKeys, _ greeting: SessionGreeting) throws -> [UInt8] {
        var handshake = NoiseHandshake.calling(peer, as: keys, after: greeting)
        return FrameCodec.encode(
            try handshake.writeMessage(MessageFragmenter().fragments(of: MessagePadding.pad(encode()))[0])
        )
    }
}
