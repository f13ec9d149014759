import HandoffCrypto
import HandoffWire

/// The two directions of the stream that a session has become, which can be used concurrently.
package struct StreamDirections: Sendable {
    package var sending: StreamSender
    package var receiving: StreamReceiver
    /// The hash of the session's handshake, to which connections over the local network are bound.
    package let handshakeHash: [UInt8]

    /// Puts two directions of one session together.
    package init(sending: StreamSender, receiving: StreamReceiver, handshakeHash: [UInt8]) {
        self.sending = sending
        self.receiving = receiving
        self.handshakeHash = handshakeHash
    }

    init(_ transport: NoiseTransport, frames: FrameDecoder) {
        let hash = transport.handshakeHash
        let (sending, receiving) = transport.directions()
        self.init(
            sending: StreamSender(cipher: sending),
            receiving: StreamReceiver(cipher: receiving, frames: frames),
            handshakeHash: hash
        )
    }
}
