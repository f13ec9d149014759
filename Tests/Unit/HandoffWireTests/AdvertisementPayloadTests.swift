import Bluetooth
import HandoffModel
import HandoffTestVectors
import HandoffWire
import TestLimits
import Testing

@Suite("The payload of an advertisement", .endsWithin(minutes: 10))
struct AdvertisementPayloadTests {
    private static func payload(
        hasWebpage: Bool = false,
        hasDocument: Bool = false,
        port: UInt8 = 0x80,
        type: UInt64? = 0x0102_0304,
        number: UInt16 = 0
    ) throws -> AdvertisementPayload {
        AdvertisementPayload(
            hasWebpage: hasWebpage,
            hasDocument: hasDocument,
            port: try #require(LEPSM(exactly: port)),
            typeHash: type.map(ActivityTypeHash.init(number:)),
            number: AdvertisementNumber(slot: 7, lowNineBits: number)
        )
    }

    @Test("The first byte has the flags, the highest bit of the number, and the port; the last one has the rest")
    func layout() throws {
        let payloads: [(AdvertisementPayload, String)] = [
            (try Self.payload(), "000102030400"),
            (try Self.payload(hasWebpage: true), "800102030400"),
            (try Self.payload(hasDocument: true), "400102030400"),
            (try Self.payload(port: 0x93), "130102030400"),
            (try Self.payload(port: 0xFF), "1f0102030400"),
            (try Self.payload(number: 0xFF), "0001020304ff"),
            (try Self.payload(number: 0x100), "200102030400"),
            (try Self.payload(hasWebpage: true, hasDocument: true, port: 0x9E, number: 0x1FF), "fe01020304ff"),
        ]
        for (payload, text) in payloads {
            #expect(hex(payload.encode()) == text)
            #expect(try AdvertisementPayload(decoding: payload.encode(), slot: 7) == payload)
        }
    }

    @Test("A withdrawal has a type hash of four zero bytes, a number, and no flags")
    func withdrawal() throws {
        let payload = try Self.payload(hasWebpage: true, hasDocument: true, port: 0x81, type: nil, number: 0x103)
        #expect(hex(payload.encode()) == "210000000003")
        #expect(try AdvertisementPayload(decoding: payload.encode(), slot: 7) == payload)
        #expect(try AdvertisementPayload(decoding: [0xE1, 0, 0, 0, 0, 3], slot: 7) == payload, "its flags are ignored")
    }

    @Test("Any six bytes with an activity are the same after decoding and encoding")
    func anyBytes() throws {
        var random = SeededRandom(seed: 6)
        for _ in 0..<500 {
            let bytes = random.bytes(6)
            #expect(try AdvertisementPayload(decoding: bytes, slot: 1).encode() == bytes)
        }
    }

    @Test("Any other length is refused")
    func refused() {
        for count in [0, 5, 7, 10] {
            let error = #expect(throws: WireError.self) {
                try AdvertisementPayload(decoding: [UInt8](repeating: 0, count: count), slot: 1)
            }
            #expect(error?.code == .malformed)
        }
    }
}
