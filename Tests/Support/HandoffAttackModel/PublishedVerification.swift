import Crypto

/// How two devices prove to each other who they are, as published: each signs the two ephemeral keys and nothing else,
/// and whoever reads a signature tries every device that it knows.
package struct PublishedVerification: Sendable {
    /// What the answering side sends.
    package struct Proof: Sendable {
        let ephemeral: [UInt8]
        let signature: [UInt8]
    }

    private let identity: Curve25519.Signing.PrivateKey

    /// A device with a new identity.
    package init() {
        identity = Curve25519.Signing.PrivateKey()
    }

    /// What other devices know of it.
    package var publicKey: [UInt8] { Array(identity.publicKey.rawRepresentation) }

    /// A new ephemeral key with which to call.
    package static func call() -> [UInt8] {
        Array(Curve25519.KeyAgreement.PrivateKey().publicKey.rawRepresentation)
    }

    /// Answers a call.
    package func answer(_ call: [UInt8]) throws -> Proof {
        let ephemeral = Self.call()
        return Proof(ephemeral: ephemeral, signature: Array(try identity.signature(for: ephemeral + call)))
    }

    /// The first of the known devices that the proof is of, if it is of one.
    package static func identify(_ proof: Proof, to call: [UInt8], among known: [[UInt8]]) throws -> [UInt8]? {
        try known.first { key in
            try Curve25519.Signing.PublicKey(rawRepresentation: key)
                .isValidSignature(proof.signature, for: proof.ephemeral + call)
        }
    }
}
