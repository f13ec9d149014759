import HandoffCrypto
import HandoffTestVectors
import TestLimits
import Testing

@Suite("The handshake and the digits of a pairing", .endsWithin(minutes: 10))
struct PairingTests {
    private static func handshake() throws -> (caller: PairingHandshake.Secrets, listener: PairingHandshake.Secrets) {
        var caller = PairingHandshake(isCaller: true)
        var listener = PairingHandshake(isCaller: false)
        _ = try listener.readMessage(try caller.writeMessage([1]))
        _ = try caller.readMessage(try listener.writeMessage([2]))
        return (try caller.split(), try listener.split())
    }

    @Test("Both sides get the same channel, hash and settling key, and others for each pairing")
    func agreement() throws {
        let (caller, listener) = try Self.handshake()
        var (sending, receiving) = (caller.transport, listener.transport)
        #expect(try receiving.decrypt(try sending.encrypt([7, 8])) == [7, 8])
        #expect(try sending.decrypt(try receiving.encrypt([9])) == [9])
        #expect(sending.handshakeHash == receiving.handshakeHash)
        #expect(caller.settlingKey == listener.settlingKey)
        let other = try Self.handshake().caller
        #expect(other.settlingKey != caller.settlingKey)
        #expect(other.transport.handshakeHash != caller.transport.handshakeHash)
    }

    @Test("The first payload is in plaintext, the second is encrypted")
    func payloads() throws {
        var caller = PairingHandshake(isCaller: true)
        var listener = PairingHandshake(isCaller: false)
        let text = Array("a name that nobody else reads".utf8)
        let first = try caller.writeMessage(text)
        #expect(Array(first.suffix(text.count)) == text)
        #expect(try listener.readMessage(first) == text)
        let second = try listener.writeMessage(text)
        #expect(second.count == 32 + text.count + 16)
        #expect(try caller.readMessage(second) == text)
    }

    @Test("A second message with a changed bit, or truncated anywhere, is refused")
    func damage() throws {
        let ephemeral = AgreementKey.generate()
        var caller = PairingHandshake(isCaller: true, ephemeralForTestVectors: ephemeral)
        var listener = PairingHandshake(isCaller: false)
        _ = try listener.readMessage(try caller.writeMessage([1, 2, 3]))
        let second = try listener.writeMessage([4, 5, 6])
        for damaged in Array(Damage.bitFlips(of: second)) + Array(Damage.truncations(of: second)) {
            var copy = caller
            #expect(throws: CryptoError.self) { try copy.readMessage(damaged) }
        }
        #expect(try caller.readMessage(second) == [4, 5, 6])
    }

    @Test("A changed first message leads to another channel, in which nothing can be read")
    func changedOpening() throws {
        var caller = PairingHandshake(isCaller: true)
        var listener = PairingHandshake(isCaller: false)
        var first = try caller.writeMessage([1, 2, 3])
        first[34] ^= 1
        #expect(try listener.readMessage(first) == [1, 2, 2])
        let second = try listener.writeMessage([])
        let error = #expect(throws: CryptoError.self) { try caller.readMessage(second) }
        #expect(error?.code == .authenticationFailed)
    }

    @Test("A key of low order is refused")
    func weakKey() throws {
        var listener = PairingHandshake(isCaller: false)
        _ = try listener.readMessage([UInt8](repeating: 0, count: 32))
        let error = #expect(throws: CryptoError.self) { try listener.writeMessage([]) }
        #expect(error?.code == .weakKey)
    }

    @Test("Steps out of order are refused")
    func order() throws {
        var listener = PairingHandshake(isCaller: false)
        #expect(throws: CryptoError.self) { try listener.writeMessage([]) }
        var caller = PairingHandshake(isCaller: true)
        #expect(throws: CryptoError.self) { try caller.readMessage([UInt8](repeating: 9, count: 48)) }
        let fresh = PairingHandshake(isCaller: true)
        #expect(throws: CryptoError.self) { try fresh.split() }
    }

    @Test("There are always six digits, whatever the number is")
    func sixDigits() throws {
        var random = SeededRandom(seed: 3)
        var shortest = Int.max
        for _ in 0..<2000 {
            let digits = PairingDigits(
                transcript: random.transcript(),
                caller: random.nonce(),
                listener: random.nonce()
            )
            #expect(digits.description.count == 6 && Int(digits.description) == digits.number)
            shortest = min(shortest, digits.number)
        }
        #expect(shortest < 100_000)
    }

    @Test("Digits and commitment depend on every part, and on the side that it comes from")
    func parts() throws {
        var random = SeededRandom(seed: 4)
        let (hash, one, other) = (random.bytes(32), random.bytes(9), random.bytes(9))
        let transcript = PairingTranscript(handshakeHash: hash, caller: one, listener: other)
        let (caller, listener) = (random.nonce(), random.nonce())
        let digits = PairingDigits(transcript: transcript, caller: caller, listener: listener)
        let turned = PairingTranscript(handshakeHash: hash, caller: other, listener: one)
        #expect(transcript != turned)
        #expect(digits != PairingDigits(transcript: transcript, caller: listener, listener: caller))
        #expect(digits != PairingDigits(transcript: turned, caller: caller, listener: listener))
        #expect(caller.commitment(to: transcript) != caller.commitment(to: turned))
        #expect(caller.commitment(to: transcript) != listener.commitment(to: transcript))
    }
}

@Suite("A man-in-the-middle attack on a pairing", .endsWithin(minutes: 10))
struct PairingAttackTests {
    /// What the attacker in the middle does with the two exchanges.
    ///
    /// The attacker may pass on what was received in one exchange as its own in the other; what it must send before it
    /// receives that cannot come from there.
    enum Strategy: CaseIterable, CustomTestStringConvertible {
        /// Both sides dial the attacker: the first one's number, once revealed, becomes the attacker's for the second.
        case listens
        /// The attacker dials both: it finishes with the first one, and commits to that one's number with the second.
        case dials
        /// One dials the attacker, which dials the other first: that number becomes its own for the one that dialled.
        case passesOnForward
        /// One dials the attacker, which finishes with that one, and commits to its number with the other.
        case passesOnBackward

        var testDescription: String { "\(self)" }

        /// The digits on both sides, whose numbers are random.
        func run(_ random: inout SeededRandom, _ first: PairingTranscript, _ second: PairingTranscript)
            -> (PairingDigits, PairingDigits)
        {
            let (one, other, own) = (random.nonce(), random.nonce(), random.nonce())
            return switch self {
            case .listens:
                (
                    PairingDigits(transcript: first, caller: one, listener: own),
                    PairingDigits(transcript: second, caller: other, listener: one)
                )
            case .dials:
                (
                    PairingDigits(transcript: first, caller: own, listener: one),
                    PairingDigits(transcript: second, caller: one, listener: other)
                )
            case .passesOnForward:
                (
                    PairingDigits(transcript: first, caller: one, listener: other),
                    PairingDigits(transcript: second, caller: own, listener: other)
                )
            case .passesOnBackward:
                (
                    PairingDigits(transcript: first, caller: one, listener: own),
                    PairingDigits(transcript: second, caller: one, listener: other)
                )
            }
        }
    }

    private static let runs = 250_000

    @Test(
        "The attacker gets the same digits on both sides once in a million, in a million runs of four strategies",
        arguments: Strategy.allCases
    )
    func chances(_ strategy: Strategy) {
        let seed = UInt64(Strategy.allCases.firstIndex(of: strategy) ?? 0)
        var random = SeededRandom(seed: 100 + seed)
        let (first, second) = (random.transcript(), random.transcript())
        var (equal, equalOfHundred) = (0, 0)
        for _ in 0..<Self.runs {
            let (one, other) = strategy.run(&random, first, second)
            if one == other { equal += 1 }
            if one.number % 100 == other.number % 100 { equalOfHundred += 1 }
        }
        // In a quarter of a million runs, 0.25 are expected: more than five are as unlikely as 10^-6.
        #expect(equal <= 5)
        // With two digits, 2500 are expected, give or take five times the standard deviation of 50.
        #expect((2250...2750).contains(equalOfHundred), "\(equalOfHundred)")
    }

    @Test("A commitment cannot be passed on: it is bound to the exchange in which it was made")
    func promises() {
        var random = SeededRandom(seed: 6)
        let (first, second) = (random.transcript(), random.transcript())
        let nonce = random.nonce()
        #expect(nonce.commitment(to: first) != nonce.commitment(to: second))
    }

    @Test("Without a commitment, the attacker would find equal digits every time")
    func withoutCommitment() {
        var random = SeededRandom(seed: 5)
        let (first, second) = (random.transcript(), random.transcript())
        for _ in 0..<20 {
            let wanted = PairingDigits(transcript: first, caller: random.nonce(), listener: random.nonce()).number % 100
            let other = random.nonce()
            // The attacker knows the other side's number and may still choose its own. Two digits, not six, for speed.
            let found = (0..<2000).contains { _ in
                PairingDigits(transcript: second, caller: random.nonce(), listener: other).number % 100 == wanted
            }
            #expect(found)
        }
    }
}

extension SeededRandom {
    /// A random number of a pairing.
    mutating func nonce() -> PairingNonce {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16)
        for word in [next(), next()] { withUnsafeBytes(of: word) { bytes.append(contentsOf: $0) } }
        guard let nonce = try? PairingNonce(bytes: bytes) else { preconditionFailure("a number has 16 bytes") }
        return nonce
    }

    /// A random transcript of two sides.
    mutating func transcript() -> PairingTranscript {
        PairingTranscript(handshakeHash: bytes(32), caller: bytes(40), listener: bytes(40))
    }
}
