import HandoffAttackModel
import HandoffCrypto
import HandoffTestVectors
import TestLimits
import Testing

@Suite("A man in the middle of a pairing is detected", .endsWithin(minutes: 10))
struct MiddleTests {
    private static let pairings = 50_000

    @Test("Six digits with committed random numbers do not agree across a man in the middle")
    func digits() {
        var random = SeededRandom(seed: 20)
        let (first, second) = (Self.transcript(&random), Self.transcript(&random))
        let model = (0..<20).count { _ in Self.agreesWithoutCommitment(first, second, &random) }
        var (agreeing, agreeingInTwo) = (0, 0)
        for _ in 0..<Self.pairings {
            // The attacker commits to a number for the second device before that device reveals its own, whatever the
            // first device has sent.
            let (one, other, forged) = (Self.nonce(&random), Self.nonce(&random), Self.nonce(&random))
            let shown = PairingDigits(transcript: first, caller: one, listener: forged)
            let alsoShown = PairingDigits(transcript: second, caller: one, listener: other)
            if shown == alsoShown { agreeing += 1 }
            if shown.number % 100 == alsoShown.number % 100 { agreeingInTwo += 1 }
        }
        #expect((400...600).contains(agreeingInTwo), "two of the digits should agree in 1 of 100: \(agreeingInTwo)")
        measured(
            .pairing,
            onModel: "digits agree in \(model) of 20 pairings",
            here: "digits agree in \(agreeing) of \(Self.pairings)"
        )
    }

    /// Whether a man in the middle makes the digits agree if no device commits to its number.
    ///
    /// The attacker knows both numbers before choosing its own, and tries until the digits agree. The test compares two
    /// digits instead of six, which would take an attacker some seconds more.
    private static func agreesWithoutCommitment(
        _ first: PairingTranscript,
        _ second: PairingTranscript,
        _ random: inout SeededRandom
    ) -> Bool {
        let (one, other) = (nonce(&random), nonce(&random))
        let wanted = PairingDigits(transcript: first, caller: one, listener: nonce(&random)).number % 100
        return (0..<5000).contains { _ in
            PairingDigits(transcript: second, caller: nonce(&random), listener: other).number % 100 == wanted
        }
    }

    private static func transcript(_ random: inout SeededRandom) -> PairingTranscript {
        PairingTranscript(handshakeHash: random.bytes(32), caller: random.bytes(40), listener: random.bytes(40))
    }

    private static func nonce(_ random: inout SeededRandom) -> PairingNonce {
        guard let nonce = try? PairingNonce(bytes: random.bytes(16)) else {
            preconditionFailure("a number has 16 bytes")
        }
        return nonce
    }
}
