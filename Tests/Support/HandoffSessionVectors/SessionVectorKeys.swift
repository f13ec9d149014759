package import HandoffCrypto
import HandoffTestVectors

/// The keys and the greeting of a session in a vector: the same seed gives the same ones.
package struct SessionVectorKeys {
    package let caller: AgreementKey
    package let callerEphemeral: AgreementKey
    package let listener: AgreementKey
    package let listenerEphemeral: AgreementKey
    package let greeting: SessionGreeting

    package init(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        caller = try AgreementKey(rawRepresentation: random.bytes(32))
        callerEphemeral = try AgreementKey(rawRepresentation: random.bytes(32))
        listener = try AgreementKey(rawRepresentation: random.bytes(32))
        listenerEphemeral = try AgreementKey(rawRepresentation: random.bytes(32))
        guard let greeting = SessionGreeting(bytes: random.bytes(16)) else {
            preconditionFailure("a greeting has 16 bytes")
        }
        self.greeting = greeting
    }

    /// Returns both sides of the session's handshake.
    package func handshakes() -> (caller: NoiseHandshake, listener: NoiseHandshake) {
        let initiator = NoiseHandshake.initiator(
            localStatic: caller,
            remoteStatic: listener.publicKey,
            prologue: greeting.prologue,
            ephemeralForTestVectors: callerEphemeral
        )
        let responder = NoiseHandshake.responder(
            localStatic: listener,
            remoteStatic: caller.publicKey,
            prologue: greeting.prologue,
            ephemeralForTestVectors: listenerEphemeral
        )
        return (initiator, responder)
    }
}
