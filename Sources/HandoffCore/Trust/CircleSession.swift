package import HandoffCrypto
package import HandoffWire

/// The side of a session that asks what another device knows of the circle: bytes in, bytes out, no channel.
///
/// The other's state comes with the answer. The caller sends its own back, the other's joined in, under the session's key:
/// only then may the other believe it. The other's acknowledgement ends the session, and tells what became of it there.
package struct CircleSession: Sendable {
    /// What the other device said.
    package enum Response: Hashable, Sendable {
        /// Its whole state.
        case state(CircleMessage)
        /// That it has the caller's state, and its own where it differs.
        case acknowledged(CircleMessage?)
        /// That it will not say.
        case refused(Refusal)
    }

    private var codec: ClientSessionCodec
    private var isAnswered = false

    /// A session with the device of the key `peer`.
    package init(keys: DeviceKeys, peer: DevicePublicKey) {
        codec = ClientSessionCodec(keys: keys, peer: peer, maximumLength: Acknowledgement.maximumCircleBytes)
    }

    /// The bytes that open the session.
    ///
    /// - Throws: ``HandoffError`` when the peer's key is unusable.
    package mutating func start() throws(HandoffError) -> [UInt8] {
        try codec.start(with: Request.circle.encode())
    }

    /// Takes in what came from the channel, in pieces of any size; nil while nothing is whole.
    ///
    /// - Throws: ``HandoffError`` with `peerMisbehaved`; then the session is over.
    package mutating func receive(_ bytes: [UInt8]) throws(HandoffError) -> Response? {
        try SessionErrorMapping.mappingErrors { () throws -> Response? in
            guard let message = try codec.receive(bytes) else { return nil }
            if isAnswered { return .acknowledged(try Acknowledgement(decoding: message).circle) }
            isAnswered = true
            switch try Answer(decoding: message) {
            case .circle(let circle): return .state(circle)
            case .refusal(let refusal): return .refused(refusal)
            case .activity, .settled, .stream:
                throw HandoffError(.peerMisbehaved, "The device sent something else than its circle.")
            }
        }
    }

    /// The bytes of this device's state; nil says that it is what the other has just sent.
    ///
    /// - Throws: ``HandoffError`` when the session's key is used up.
    package mutating func reply(_ circle: CircleMessage?) throws(HandoffError) -> [UInt8] {
        try SessionErrorMapping.mappingErrors { () throws in
            try codec.send(Acknowledgement(circle: circle).encode())
        }
    }
}
