import Bluetooth
import HandoffAttackModel
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffRadio
import HandoffTestVectors
import HandoffWire

/// A device whose advertisements are attacked, in the published format and in this project's format.
struct SimulatedSender {
    var published: PublishedSender
    let key: AdvertisingKey

    /// A device with its own random keys and counter.
    init(using random: inout SeededRandom) throws {
        published = PublishedSender(key: random.bytes(32), counter: .random(in: 1...60_000, using: &random))
        key = try AdvertisingKey(rawRepresentation: random.bytes(AdvertisingKey.byteCount))
    }

    static func population(_ count: Int, using random: inout SeededRandom) throws -> [SimulatedSender] {
        try (0..<count).map { _ in try SimulatedSender(using: &random) }
    }

    /// The device's advertisement of `payload` in that slot, in this project's format.
    func sealed(_ payload: AdvertisementPayload, slot: UInt64) -> [UInt8] {
        AdvertisementSealer(key: key, slot: slot).seal(payload.encode())
    }
}

extension AdvertisementPayload {
    /// One of a hundred activities, at a random port.
    static func random(using random: inout SeededRandom, hasWebpage: Bool? = nil) throws -> AdvertisementPayload {
        AdvertisementPayload(
            hasWebpage: hasWebpage ?? .random(using: &random),
            port: LEPSM(lowFiveBits: .random(in: .min ... .max, using: &random)),
            typeHash: try ActivityType("org.example.app\(Int.random(in: 0..<100, using: &random))").hash,
            number: AdvertisementNumber(slot: someSlot, lowNineBits: .random(in: .min ... .max, using: &random))
        )
    }
}

extension AdvertisementNumber {
    /// An arbitrary number.
    static let some = AdvertisementNumber(slot: someSlot, lowNineBits: 1)
}

/// An arbitrary slot, far from 1970.
let someSlot: UInt64 = 1_984_000
