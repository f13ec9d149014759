/// The six digits by which two people verify that no third device is between their devices.
///
/// Both sides compute them from the transcript so far and from one nonce of each side. The caller commits to its nonce
/// before it sees the listener's, and reveals it afterwards. A device in the middle therefore cannot choose nonces for
/// which the digits on both sides agree, except by a chance of one in a million (Docs/Protocol.md, "Pairing").
package struct PairingDigits: Hashable, Sendable, CustomStringConvertible {
    /// The number of possible values.
    package static let count: UInt64 = 1_000_000

    /// The digits as a number, 0..<``count``.
    package let number: Int

    /// Six decimal digits.
    package var description: String {
        let digits = String(number)
        return String(repeating: "0", count: 6 - digits.count) + digits
    }

    /// Computes the digits of a pairing.
    ///
    /// - Parameters:
    ///   - transcript: everything that both sides have sent before.
    ///   - caller: the nonce of the side that dialled.
    ///   - listener: the nonce of the other side.
    package init(transcript: PairingTranscript, caller: PairingNonce, listener: PairingNonce) {
        let digest = HandoffDigest.sha256(
            Array("handoffd v2 pairing digits".utf8) + transcript.hash + caller.bytes + listener.bytes
        )
        // The modulo bias is negligible: 2^64 is so large that no value is likelier than another by more than 1 in
        // 10^13.
        number = Int(digest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % Self.count)
    }
}

/// The nonce that one side contributes to the digits: 16 random bytes, used once.
package struct PairingNonce: Hashable, Sendable {
    /// The number of bytes in a nonce.
    package static let byteCount = 16

    package let bytes: [UInt8]

    /// Returns a new nonce from the system's random number generator.
    package static func generate() -> PairingNonce {
        var random = SystemRandomNumberGenerator()
        return PairingNonce(unchecked: (0..<byteCount).map { _ in .random(in: .min ... .max, using: &random) })
    }

    /// Makes a nonce of exactly 16 bytes.
    ///
    /// - Throws: ``CryptoError/Code/malformed`` for any other count.
    package init(bytes: [UInt8]) throws(CryptoError) {
        guard bytes.count == Self.byteCount else {
            throw CryptoError(.malformed, "A pairing nonce has \(Self.byteCount) bytes, got \(bytes.count).")
        }
        self.init(unchecked: bytes)
    }

    /// Returns the commitment that is sent before the nonce is revealed: it is binding and hides the nonce.
    package func commitment(to transcript: PairingTranscript) -> [UInt8] {
        HandoffDigest.sha256(Array("handoffd v2 pairing commitment".utf8) + transcript.hash + bytes)
    }

    private init(unchecked bytes: [UInt8]) {
        self.bytes = bytes
    }
}

/// Everything that both sides have sent before the digits are compared.
package struct PairingTranscript: Hashable, Sendable {
    /// The hash of the transcript, 32 bytes.
    package let hash: [UInt8]

    /// Hashes what both sides have sent.
    ///
    /// - Parameters:
    ///   - handshakeHash: the hash of the handshake, 32 bytes.
    ///   - caller: the encoded introduction of the side that dialled.
    ///   - listener: the encoded introduction of the other side.
    package init(handshakeHash: [UInt8], caller: [UInt8], listener: [UInt8]) {
        hash = HandoffDigest.sha256(
            Array("handoffd v2 pairing transcript".utf8) + handshakeHash
                + HandoffDigest.sha256(caller) + HandoffDigest.sha256(listener)
        )
    }
}
