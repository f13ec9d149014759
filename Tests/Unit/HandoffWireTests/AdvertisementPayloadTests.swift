import Bluetooth
import HandoffModel
import HandoffTestVectors
import HandoffWire
import TestLimits
import Testing

@Suite("The payload of an advertisement", .endsWithin(minutes: 10))
struct AdvertisementPayloadTests {
    @Test(
        "The first byte has the web page bit and the port",
        arguments: [
            (false, 0x80, "00"), (true, 0x80, "80"), (false, 0xFF, "7f"), (true, 0xFF, "ff"), (true, 0x93, "93"),
        ]
            as [(Bool, UInt8, String)]
    )
    func layout(hasWebpage: Bool, port: UInt8, first: String) throws {
        let hash = try ActivityTypeHash(bytes: [1, 2, 3, 4, 5])
        let payload = AdvertisementPayload(
            hasWebpage: hasWebpage,
            port: try #require(LEPSM(exactly: port)),
            typeHash: hash
        )
        #expect(hex(payload.encode()) == first + "0102030405")
        #expect(try AdvertisementPayload(decoding: payload.encode()) == payload)
    }

    @Test("Any six bytes are the same after decoding and encoding")
    func anyBytes() throws {
        var random = SeededRandom(seed: 6)
        for _ in 0..<500 {
            let bytes = random.bytes(6)
            #expect(try AdvertisementPayload(decoding: bytes).encode() == bytes)
        }
    }

    @Test("Any other length is refused")
    func refused() {
        for count in [0, 5, 7, 10] {
            let error = #expect(throws: WireError.self) {
                try AdvertisementPayload(decoding: [UInt8](repeating: 0, count: count))
            }
            #expect(error?.code == .malformed)
        }
    }
}
