import Bluetooth
import HandoffCore
import HandoffCrypto
import HandoffModel
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
        let number: UInt16
        let port: UInt8
        let plaintext: String
        let sealed: String
        /// The same with both flags, which are ignored.
        let sealedWithFlags: String
    }

    private static let inputs: [(slot: UInt64, number: UInt16, port: UInt8)] = [
        (0, 0, 0x80), (1_994_702, 1, 0x93), (1_994_703, 300, 0x93), (1_994_702, 511, 0xFF),
    ]

    private static func make() throws -> [Case] {
        var random = SeededRandom(seed: 50)
        return try inputs.map { slot, number, port in
            let key = try AdvertisingKey(rawRepresentation: random.bytes(32))
            let payload = AdvertisementPayload(
                hasWebpage: false,
                port: try #require(LEPSM(exactly: port)),
                typeHash: nil,
                number: AdvertisementNumber(slot: slot, lowNineBits: number)
            ).encode()
            let sealer = AdvertisementSealer(key: key, slot: slot)
            let withFlags = [payload[0] | 0xC0] + payload.dropFirst()
            let read = try [payload, withFlags].map { try AdvertisementPayload(decoding: $0, slot: slot) }
            #expect(read[0] == read[1])
            return Case(
                advertisingKey: hex(key.rawRepresentation),
                slot: slot,
                number: number,
                port: port,
                plaintext: hex(payload),
                sealed: hex(sealer.seal(payload)),
                sealedWithFlags: hex(sealer.seal(withFlags))
            )
        }
    }

    @Test("The published vectors are what this code generates")
    func published() throws {
        let file = VectorFile(
            about: """
                Withdrawals (Docs/Protocol.md, "Advertisement"): sealed advertisements whose type hash is zero, and the same \
                with both flags, which a reader does not look at. Bytes are hexadecimal; `slot` is Unix time divided by 900; `number` is that within the slot; `port` is the PSM.
                """,
            cases: try Self.make()
        )
        try file.storeIfAsked("withdrawal")
        #expect(try VectorFile<Case>.load("withdrawal") == file)
    }
}
