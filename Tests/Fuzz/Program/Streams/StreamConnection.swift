import HandoffCore
import HandoffCrypto
import HandoffWire

/// A connection over the local network between this device and a peer that has the secret, without a socket.
struct StreamConnection {
    let id: NetworkConnectionID
    /// What this device knows of it once it has proved itself.
    private(set) var proven: ProvenConnection?
    /// What the peer has sent before this device reads it.
    var unread: [UInt8] = []

    private var sending: NoiseSender
    private let unconfirmed: (acceptance: NetworkAcceptance, confirmation: [UInt8])?

    /// The peer opens a connection, in the role of `opener`; it is not confirmed.
    init(openedByPeer secret: NetworkSecret, as opener: NetworkSecret.Opener, number: Int) {
        let (acceptance, connection, confirmation) = Self.open(secret, by: opener, number)
        id = connection.id
        sending = connection.sending
        unconfirmed = (acceptance, confirmation)
    }

    /// This device opens a connection, in the role of `opener`; the peer has answered, so it has proved itself here.
    init(opened secret: NetworkSecret, as opener: NetworkSecret.Opener, number: Int) {
        let (acceptance, connection, confirmation) = Self.open(secret, by: opener, number)
        id = connection.id
        proven = connection
        sending = Self.sure { try acceptance.finish(confirmation) }.sending
        unconfirmed = nil
    }

    /// The peer's confirmation arrives.
    mutating func confirm() {
        guard proven == nil, let unconfirmed else { return }
        proven = Self.sure { try unconfirmed.acceptance.finish(unconfirmed.confirmation) }
        precondition(proven?.id == id, "both ends know a connection by one identifier")
    }

    /// Returns the frame in which the peer sends a plaintext; nil when it is too long.
    mutating func frame(_ plaintext: [UInt8]) -> [UInt8]? {
        (try? sending.encrypt(plaintext)).map(FrameCodec.encode)
    }

    /// Opens a connection as far as the opener's confirmation, which the other end has not read yet.
    private static func open(
        _ secret: NetworkSecret,
        by opener: NetworkSecret.Opener,
        _ number: Int
    ) -> (acceptance: NetworkAcceptance, connection: ProvenConnection, confirmation: [UInt8]) {
        let opening = NetworkOpening(secret, by: opener, nonceForTestVectors: nonce(number))
        let acceptance = sure {
            try NetworkAcceptance(
                secret,
                opening: opening.opening,
                by: opener,
                nonceForTestVectors: nonce(number + 128)
            )
        }
        let (connection, confirmation) = sure { try opening.finish(acceptance.answer) }
        return (acceptance, connection, confirmation)
    }

    private static func nonce(_ number: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: NetworkSecret.nonceBytes)
    }

    private static func sure<Value>(_ body: () throws -> Value) -> Value {
        guard let value = try? body() else { preconditionFailure("both ends have the secret") }
        return value
    }
}
