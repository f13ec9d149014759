import Bluetooth
import HandoffAttackModel
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffRadio
import HandoffTestVectors
import HandoffWire

/// A device whose advertisements are attacked: once in the published format, once in this project's.
struct SimulatedSender {
    var published: PublishedSender
    let key: AdvertisingKey

    /// A device with keys, and a history, of its own.
    init(using random: inout SeededRandom) throws {
        published = PublishedSender(key: random.bytes(32), counter: .random(in: 1...60_000, using: &random))
        key = try AdvertisingKey(rawRepresentation: random.bytes(AdvertisingKey.byteCount))
    }

    static func population(_ count: Int, using random: inout SeededRandom) throws -> [SimulatedSender] {
        try (0..<count).map { _ in try SimulatedSender(using: &random) }
    }

    /// What it advertises here in that slot.
    func sealed(_ payload: AdvertisementPayload, slot: UInt64) -> [UInt8] {
        AdvertisementSealer(key: key, slot: slot).seal(payload.encode())
    }
}

extension AdvertisementPayload {
    /// Any activity of a hundred, at any port.
    static func random(using random: inout SeededRandom, hasWebpage: Bool? = nil) throws -> AdvertisementPayload {
        AdvertisementPayload(
            hasWebpage: hasWebpage ?? .random(using: &random),
            port: LEPSM(lowSevenBits: .random(in: 0x80...0xFF, using: &random)),
            typeHash: try ActivityType("org.example.app\(Int.random(in: 0..<100, using: &random))").hash
        )
    }
}

/// A slot far from the beginning of time.
let someSlot: UInt64 = 1_984_000
