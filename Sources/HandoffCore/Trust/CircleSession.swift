package import HandoffCrypto
package import HandoffWire

/// The requesting side of a session that exchanges circles; it converts bytes and has no channel (Docs/Circle.md).
///
/// The other device's state comes with the answer. The caller sends its own back, after it has taken the other's in,
/// under the session's key: only then may the other device take it in. The other device's acknowledgement ends the
/// session, and contains its state after that.
package struct CircleSession: Sendable {
    /// A message of the other device.
    package enum Response: Hashable, Sendable {
        /// What it knows, before it has heard the caller.
        case state(CircleMessage)
        /// What it knows after it has taken the caller's state in.
        case acknowledged(CircleMessage)
        /// It refuses to answer.
        case refused(Refusal)
    }

    private var codec: ClientSessionCodec
    private let request: CircleRequest
    private var isAnswered = false

    /// Creates a session with the device whose keys are `peer`.
    package init(keys: DeviceKeys, peer: DevicePublicKeys, request: CircleRequest) {
        codec = ClientSessionCodec(keys: keys, peer: peer, maximumLength: Acknowledgement.maximumCircleBytes)
        self.request = request
    }

    /// Accepts the listener's greeting in pieces of any size; returns the bytes that open the session once it is
    /// complete, nil before.
    ///
    /// - Throws: ``HandoffError`` with `peerMisbehaved`, also when the peer's key is unusable; then the session is over.
    package mutating func open(_ bytes: [UInt8]) throws(HandoffError) -> [UInt8]? {
        try SessionErrorMapping.mappingErrors { () throws -> [UInt8]? in
            try codec.open(bytes, with: Request.circle(request).encode())
        }
    }

    /// Accepts bytes from the channel in pieces of any size; returns nil until a message is complete.
    ///
    /// - Throws: ``HandoffError`` with `peerMisbehaved`; then the session is over.
    package mutating func receive(_ bytes: [UInt8]) throws(HandoffError) -> Response? {
        try SessionErrorMapping.mappingErrors { () throws -> Response? in
            guard let message = try codec.receive(bytes) else { return nil }
            if isAnswered {
                guard let circle = try Acknowledgement(decoding: message).circle else {
                    throw HandoffError(.peerMisbehaved, "The device acknowledged a circle without sending its own.")
                }
                return .acknowledged(circle)
            }
            isAnswered = true
            switch try Answer(decoding: message) {
            case .circle(let circle): return .state(circle)
            case .refusal(let refusal): return .refused(refusal)
            case .activity, .settled, .stream:
                throw HandoffError(.peerMisbehaved, "The device sent an answer other than its circle.")
            }
        }
    }

    /// Returns the bytes of this device's state after the other's was taken in.
    ///
    /// - Throws: ``HandoffError`` when the session's key is exhausted.
    package mutating func reply(_ circle: CircleMessage) throws(HandoffError) -> [UInt8] {
        try SessionErrorMapping.mappingErrors { () throws in
            try codec.send(Acknowledgement(circle: circle).encode())
        }
    }
}
