import HandoffTestVectors
import TestLimits
import Testing

@testable import HandoffCrypto

@Suite("The proof in an introduction that a device's keys are its own", .endsWithin(minutes: 10))
struct PairingProofTests {
    private let caller: PairingBinding
    private let listener: PairingBinding
    private let keys = DeviceKeys.generate()
    private let other = DeviceKeys.generate()

    init() throws {
        (caller, listener) = try Self.channel()
    }

    private static func channel() throws -> (caller: PairingBinding, listener: PairingBinding) {
        var caller = PairingHandshake(isCaller: true)
        var listener = PairingHandshake(isCaller: false)
        _ = try listener.readMessage(try caller.writeMessage([]))
        _ = try caller.readMessage(try listener.writeMessage([]))
        return (try caller.split().binding, try listener.split().binding)
    }

    private func expectRefused(_ proof: PairingProof, of keys: DevicePublicKeys, by binding: PairingBinding? = nil) {
        let error = #expect(throws: CryptoError.self) { try (binding ?? listener).verify(proof, of: keys) }
        #expect(error?.code == .authenticationFailed)
    }

    @Test("The proof of either side is accepted by the other one")
    func valid() throws {
        try listener.verify(try caller.prove(keys), of: keys.publicKeys)
        try caller.verify(try listener.prove(keys), of: keys.publicKeys)
    }

    @Test("A proof is not accepted in another channel, nor by the side that has made it")
    func elsewhere() throws {
        let proof = try caller.prove(keys)
        expectRefused(proof, of: keys.publicKeys, by: caller)
        expectRefused(proof, of: keys.publicKeys, by: try Self.channel().listener)
        expectRefused(try listener.prove(keys), of: keys.publicKeys)
    }

    @Test("A proof for the keys of another device is refused, whichever half of them the sender has")
    func halves() throws {
        expectRefused(try caller.prove(keys), of: other.publicKeys)
        let claims = [
            try DevicePublicKeys(agreement: keys.publicKeys.agreement, signing: other.publicKeys.signing),
            try DevicePublicKeys(agreement: other.publicKeys.agreement, signing: keys.publicKeys.signing),
            other.publicKeys,
        ]
        for claim in claims {
            expectRefused(try caller.prove(claim, with: keys.agreement, keys.signing), of: claim)
        }
        // Each half proves itself: both private keys make the proof.
        try listener.verify(try caller.prove(claims[0], with: keys.agreement, other.signing), of: claims[0])
    }

    @Test("A proof with any bit changed, or of another length, is refused")
    func damaged() throws {
        let proof = try caller.prove(keys)
        for index in proof.signature.indices {
            var signature = proof.signature
            signature[index] ^= 1
            expectRefused(PairingProof(signature: signature, mac: proof.mac), of: keys.publicKeys)
        }
        for mac in Array(Damage.bitFlips(of: proof.mac)) + Array(Damage.truncations(of: proof.mac)) {
            expectRefused(PairingProof(signature: proof.signature, mac: mac), of: keys.publicKeys)
        }
        expectRefused(PairingProof(signature: [], mac: []), of: keys.publicKeys)
    }
}
