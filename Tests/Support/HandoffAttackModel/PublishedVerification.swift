import Crypto

/// The published authentication of two devices: each signs only the two ephemeral keys, and the verifier of a signature
/// tries the keys of all devices that it knows.
package struct PublishedVerification: Sendable {
    /// The message of the responder.
    package struct Proof: Sendable {
        let ephemeral: [UInt8]
        let signature: [UInt8]
    }

    private let identity: Curve25519.Signing.PrivateKey

    /// A device with a new identity.
    package init() {
        identity = Curve25519.Signing.PrivateKey()
    }

    /// The public key that other devices know.
    package var publicKey: [UInt8] { Array(identity.publicKey.rawRepresentation) }

    /// A new ephemeral key of an initiator.
    package static func call() -> [UInt8] {
        Array(Curve25519.KeyAgreement.PrivateKey().publicKey.rawRepresentation)
    }

    /// Answers an initiator.
    package func answer(_ call: [UInt8]) throws -> Proof {
        let ephemeral = Self.call()
        return Proof(ephemeral: ephemeral, signature: Array(try identity.signature(for: ephemeral + call)))
    }

    /// The first known device whose key verifies the proof, or nil.
    package static func identify(_ proof: Proof, to call: [UInt8], among known: [[UInt8]]) throws -> [UInt8]? {
        try known.first { key in
            try Curve25519.Signing.PublicKey(rawRepresentation: key)
                .isValidSignature(proof.signature, for: proof.ephemeral + call)
        }
    }
}
