import HandoffCore
import HandoffCrypto
import HandoffWire

/// Both ends of a connection over a local network, of which the caller of the session has opened it.
struct NetworkPair {
    let secret: NetworkSecret

    init(_ cipher: NoiseCipher = .chaChaPoly) {
        secret = NetworkSecret(
            caller: [UInt8](repeating: 1, count: 32),
            listener: [UInt8](repeating: 2, count: 32),
            handshakeHash: [UInt8](repeating: 3, count: 32),
            cipher: cipher
        )
    }

    /// The proven connection at the end that opened it, and at the other.
    var proven: (opening: ProvenConnection, accepted: ProvenConnection) {
        get throws {
            let opening = NetworkOpening(secret, by: .caller)
            let acceptance = try NetworkAcceptance(secret, opening: opening.opening, by: .caller)
            let (connection, confirmation) = try opening.finish(acceptance.answer)
            return (connection, try acceptance.finish(confirmation))
        }
    }
}
