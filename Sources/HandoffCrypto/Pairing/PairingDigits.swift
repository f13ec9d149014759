/// The six digits by which two people see that their devices talk with each other and with nobody in between.
///
/// Both sides compute them from what they have said so far and from a random number of each. The caller commits to its
/// number before it sees the listener's, and shows it afterwards: so nobody in between can choose numbers for which the
/// digits on both sides agree, other than by luck, once in a million (Docs/Protocol.md, "Pairing").
package struct PairingDigits: Hashable, Sendable, CustomStringConvertible {
    /// How many different digits there are.
    package static let count: UInt64 = 1_000_000

    /// The number that they are, below ``count``.
    package let number: Int

    /// Six decimal digits.
    package var description: String {
        let digits = String(number)
        return String(repeating: "0", count: 6 - digits.count) + digits
    }

    /// The digits of a pairing.
    ///
    /// - Parameters:
    ///   - transcript: what both sides have said before.
    ///   - caller: the number of the side that dialled.
    ///   - listener: the number of the other side.
    package init(transcript: PairingTranscript, caller: PairingNonce, listener: PairingNonce) {
        let digest = HandoffDigest.sha256(
            Array("handoffd v1 pairing digits".utf8) + transcript.hash + caller.bytes + listener.bytes
        )
        // 2^64 is so much larger that no digits are likelier than others by more than one in 10^13.
        number = Int(digest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % Self.count)
    }
}

/// The random number that a side adds to the digits: 16 bytes, used once.
package struct PairingNonce: Hashable, Sendable {
    /// How many bytes it has.
    package static let byteCount = 16

    package let bytes: [UInt8]

    /// A new one from the system's source of randomness.
    package static func generate() -> PairingNonce {
        var random = SystemRandomNumberGenerator()
        return PairingNonce(unchecked: (0..<byteCount).map { _ in .random(in: .min ... .max, using: &random) })
    }

    /// Takes exactly 16 bytes.
    ///
    /// - Throws: ``CryptoError/Code/malformed`` for any other count.
    package init(bytes: [UInt8]) throws(CryptoError) {
        guard bytes.count == Self.byteCount else {
            throw CryptoError(.malformed, "A pairing's random number has \(Self.byteCount) bytes, not \(bytes.count).")
        }
        self.init(unchecked: bytes)
    }

    /// What is said of it before it is shown: it binds, and tells nothing.
    package func commitment(to transcript: PairingTranscript) -> [UInt8] {
        HandoffDigest.sha256(Array("handoffd v1 pairing commitment".utf8) + transcript.hash + bytes)
    }

    private init(unchecked bytes: [UInt8]) {
        self.bytes = bytes
    }
}

/// Everything that two sides have said to each other until they compare digits.
package struct PairingTranscript: Hashable, Sendable {
    /// 32 bytes that differ when anything of it does.
    package let hash: [UInt8]

    /// What both sides have said.
    ///
    /// - Parameters:
    ///   - handshakeHash: the hash of the handshake, 32 bytes.
    ///   - caller: how the side that dialled has introduced itself, encoded.
    ///   - listener: how the other side has.
    package init(handshakeHash: [UInt8], caller: [UInt8], listener: [UInt8]) {
        hash = HandoffDigest.sha256(
            Array("handoffd v1 pairing transcript".utf8) + handshakeHash
                + HandoffDigest.sha256(caller) + HandoffDigest.sha256(listener)
        )
    }
}
