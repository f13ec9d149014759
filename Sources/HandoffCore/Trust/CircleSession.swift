package import HandoffCrypto
package import HandoffWire

/// The requesting side of a session that exchanges circles; it converts bytes and has no channel.
///
/// The other device's circle comes with the answer. The caller sends its own back, merged with the other's, under the
/// session's key: only then may the other device accept it. The other device's acknowledgement ends the session, and
/// contains its circle where that still differs.
package struct CircleSession: Sendable {
    /// A message of the other device.
    package enum Response: Hashable, Sendable {
        /// Its whole circle.
        case state(CircleMessage)
        /// It has received the caller's circle; contains its own where that differs.
        case acknowledged(CircleMessage?)
        /// It refuses to answer.
        case refused(Refusal)
    }

    private var codec: ClientSessionCodec
    private var isAnswered = false

    /// Creates a session with the device whose key is `peer`.
    package init(keys: DeviceKeys, peer: DevicePublicKey) {
        codec = ClientSessionCodec(keys: keys, peer: peer, maximumLength: Acknowledgement.maximumCircleBytes)
    }

    /// Accepts the listener's greeting in pieces of any size; returns the bytes that open the session once it is
    /// complete, nil before.
    ///
    /// - Throws: ``HandoffError`` with `peerMisbehaved`, also when the peer's key is unusable; then the session is over.
    package mutating func open(_ bytes: [UInt8]) throws(HandoffError) -> [UInt8]? {
        try SessionErrorMapping.mappingErrors { () throws -> [UInt8]? in
            try codec.open(bytes, with: Request.circle.encode())
        }
    }

    /// Accepts bytes from the channel in pieces of any size; returns nil until a message is complete.
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
            case .activity, .noted, .settled, .stream:
                throw HandoffError(.peerMisbehaved, "The device sent an answer other than its circle.")
            }
        }
    }

    /// Returns the bytes of this device's circle; nil means that it equals the one that the other device has just sent.
    ///
    /// - Throws: ``HandoffError`` when the session's key is exhausted.
    package mutating func reply(_ circle: CircleMessage?) throws(HandoffError) -> [UInt8] {
        try SessionErrorMapping.mappingErrors { () throws in
            try codec.send(Acknowledgement(circle: circle).encode())
        }
    }
}
