package import HandoffCrypto
import HandoffTestVectors

/// The keys and the greeting of a session in a vector: the same seed gives the same ones.
package struct SessionVectorKeys {
    package let caller: DeviceKeys
    package let callerEphemeral: AgreementKey
    package let listener: DeviceKeys
    package let listenerEphemeral: AgreementKey
    package let greeting: SessionGreeting

    package init(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        func agreement() throws -> AgreementKey { try AgreementKey(rawRepresentation: random.bytes(32)) }
        func signing() throws -> SigningKey { try SigningKey(rawRepresentation: random.bytes(32)) }
        caller = DeviceKeys(agreement: try agreement(), signing: try signing())
        callerEphemeral = try agreement()
        listener = DeviceKeys(agreement: try agreement(), signing: try signing())
        listenerEphemeral = try agreement()
        guard let greeting = SessionGreeting(bytes: random.bytes(16)) else {
            preconditionFailure("a greeting has 16 bytes")
        }
        self.greeting = greeting
    }

    /// Returns both sides of the session's handshake.
    package func handshakes() -> (caller: NoiseHandshake, listener: NoiseHandshake) {
        let initiator = NoiseHandshake.calling(
            listener.publicKeys,
            as: caller,
            after: greeting,
            ephemeralForTestVectors: callerEphemeral
        )
        let responder = NoiseHandshake.answering(
            caller.publicKeys,
            as: listener,
            after: greeting,
            ephemeralForTestVectors: listenerEphemeral
        )
        return (initiator, responder)
    }
}
