import HandoffAttackModel
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffTestVectors
import HandoffWire
import TestLimits
import Testing

@Suite("An attacker without a key cannot make an advertisement that is accepted", .endsWithin(minutes: 10))
struct ForgeryTests {
    private static let tries = 200_000

    /// An opener with the keys of these devices.
    private static func opener(_ subjects: [SimulatedSender]) -> AdvertisementOpener<Int> {
        AdvertisementOpener(keys: subjects.enumerated().map { ($0, $1.key) })
    }

    private static func accepted(
        _ tries: Int,
        _ opener: inout AdvertisementOpener<Int>,
        _ random: inout SeededRandom
    ) -> Int {
        var (accepted, bytes) = (0, random.bytes(AdvertisementSealer.sealedBytes))
        for number in 0..<tries {
            // Consecutive tags are as likely to be right as random ones, and cheaper to make.
            for byte in 0..<4 { bytes[byte] = UInt8(truncatingIfNeeded: number >> (8 * byte)) }
            if opener.open(bytes, slot: someSlot) != nil { accepted += 1 }
        }
        return accepted
    }

    @Test("200,000 guesses of the tag of an advertisement all fail")
    func bruteForce() throws {
        var random = SeededRandom(seed: 7)
        let subject = try SimulatedSender(using: &random)
        var receiver = PublishedReceiver(keys: [subject.published.key])
        let ciphertext = random.bytes(10)
        let model = try (0...255).first { tag in
            let forged = PublishedAdvertisement(
                status: 0,
                counter: 40_000,
                tag: UInt8(tag),
                ciphertext: ciphertext
            )
            guard case .shown = try receiver.hear(forged) else { return false }
            return true
        }
        var opener = Self.opener([subject])
        let here = Self.accepted(Self.tries, &opener, &random)
        #expect(here == 0)
        measured(
            .bruteForce,
            onModel: "a forgery after \(try #require(model) + 1) tries",
            here: "\(here) forgeries in \(Self.tries) tries"
        )
    }

    @Test("Forged counters do not make a device miss real advertisements")
    func counterExhaustion() throws {
        var random = SeededRandom(seed: 6)
        var subject = try SimulatedSender(using: &random)
        var receiver = PublishedReceiver(keys: [subject.published.key])
        for tag in UInt8.min ... .max {
            let forged = PublishedAdvertisement(status: 0, counter: .max, tag: tag, ciphertext: random.bytes(10))
            _ = try receiver.hear(forged)
        }
        let missedByModel = try (0..<100).count { _ in
            if case .shown = try receiver.hear(subject.published.advertise(random.bytes(10))) { false } else { true }
        }
        var opener = Self.opener([subject])
        _ = Self.accepted(10_000, &opener, &random)
        let missed = try (0..<100).count { _ in
            let real = try subject.sealed(.random(using: &random), slot: someSlot)
            return opener.open(real, slot: someSlot) == nil
        }
        #expect(missedByModel == 100)
        #expect(missed == 0)
        measured(.counterExhaustion, onModel: "\(missedByModel) of 100 real ones missed", here: "\(missed) of 100")
    }

    @Test("Advertisements of other users' devices are not taken for those of the user's own devices")
    func chance() throws {
        var random = SeededRandom(seed: 23)
        let own = try SimulatedSender.population(16, using: &random)
        var foreign = try SimulatedSender(using: &random)
        let model = try (0..<250).reduce(0) { count, _ in
            let advertisement = try foreign.published.advertise(random.bytes(10))
            return try count + own.count { try advertisement.opened(with: $0.published.key) != nil }
        }
        var opener = Self.opener(own)
        var here = 0
        let sealer = AdvertisementSealer(key: foreign.key, slot: someSlot)
        for number in 0..<UInt64(Self.tries / 20) {
            let plaintext = (0..<6).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
            if opener.open(sealer.seal(plaintext), slot: someSlot) != nil { here += 1 }
        }
        #expect(model > 5)
        #expect(here == 0)
        measured(
            .chance,
            onModel: "\(model) false hits in 250, with 16 keys",
            here: "\(here) in \(Self.tries / 20)"
        )
    }

    @Test("No nonce is used twice, even if a device restarts from an old copy of its state")
    func nonceReuse() throws {
        var random = SeededRandom(seed: 8)
        var subject = try SimulatedSender(using: &random)
        let backup = subject.published.saved
        var used: Set<UInt16> = []
        for _ in 0..<300 { used.insert(try subject.published.advertise(random.bytes(10)).counter) }
        var restored = PublishedSender(restarting: backup)
        let model = try (0..<150).count { _ in used.contains(try restored.advertise(random.bytes(10)).counter) }

        // Two runs of one device within one slot, the second from a copy of the first one's state.
        var plaintexts: [[UInt8]: [UInt8]] = [:]
        var here = 0
        for _ in 0..<2000 {
            let payload = try AdvertisementPayload.random(using: &random)
            let tag = Array(subject.sealed(payload, slot: someSlot).prefix(4))
            if let other = plaintexts.updateValue(payload.encode(), forKey: tag), other != payload.encode() {
                here += 1
            }
        }
        #expect(model > 100)
        #expect(here == 0)
        measured(.nonceReuse, onModel: "\(model) of 150 nonces used twice", here: "\(here) of 2000")
    }

    @Test("A thousand sessions of a device whose state is restored each time share no key")
    func sessionKeys() throws {
        var random = SeededRandom(seed: 9)
        let identity = random.bytes(32)
        let (peer, signing) = (DeviceKeys.generate().publicKeys, SigningKey.generate())
        let first = try (0..<1000).map { _ in
            let own = DeviceKeys(agreement: try AgreementKey(rawRepresentation: identity), signing: signing)
            var handshake = NoiseHandshake.calling(peer, as: own, after: .random())
            return try handshake.writeMessage([0])
        }
        #expect(Set(first.map { Array($0.prefix(32)) }).count == 1000, "ephemeral keys")
        #expect(Set(first.map { Array($0.dropFirst(32)) }).count == 1000, "ciphertexts of the same request")
    }
}
