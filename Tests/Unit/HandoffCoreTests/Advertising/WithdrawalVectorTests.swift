import Bluetooth
import HandoffCore
import HandoffCrypto
import HandoffTestVectors
import HandoffWire
import TestLimits
import Testing

@Suite("Withdrawal vectors", .endsWithin(minutes: 10))
struct WithdrawalVectorTests {
    /// One withdrawal; bytes in hexadecimal.
    struct Case: Codable, Equatable, Sendable {
        let advertisingKey: String
        let slot: UInt64
        let port: UInt8
        let plaintext: String
        let sealed: String
    }

    private static let inputs: [(slot: UInt64, port: UInt8)] = [
        (0, 0x80), (1_994_702, 0x93), (1_994_703, 0x93), (1_994_702, 0xFF),
    ]

    private static func make() throws -> [Case] {
        var random = SeededRandom(seed: 50)
        return try inputs.map { slot, port in
            let key = try AdvertisingKey(rawRepresentation: random.bytes(32))
            let payload = AdvertisementPayload(.withdrawal, port: try #require(LEPSM(exactly: port))).encode()
            return Case(
                advertisingKey: hex(key.rawRepresentation),
                slot: slot,
                port: port,
                plaintext: hex(payload),
                sealed: hex(AdvertisementSealer(key: key, slot: slot).seal(payload))
            )
        }
    }

    @Test("The published vectors are what this code generates")
    func published() throws {
        let file = VectorFile(
            about: """
                Withdrawals (Docs/Protocol.md, "Advertisement"): sealed advertisements whose type hash is zero. Bytes \
                are hexadecimal; `slot` is Unix time divided by 900; `port` is the PSM.
                """,
            cases: try Self.make()
        )
        try file.storeIfAsked("withdrawal")
        #expect(try VectorFile<Case>.load("withdrawal") == file)
    }
}
