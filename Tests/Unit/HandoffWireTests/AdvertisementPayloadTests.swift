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
        let activity = AdvertisedActivity(typeHash: try ActivityTypeHash(bytes: [1, 2, 3, 4]), tag: ActivityTag(5))
        let payload = AdvertisementPayload(
            hasWebpage: hasWebpage,
            port: try #require(LEPSM(exactly: port)),
            activity: activity
        )
        #expect(hex(payload.encode()) == first + "0102030405")
        #expect(try AdvertisementPayload(decoding: payload.encode()) == payload)
    }

    @Test("The last byte has the document bit and the tag")
    func document() throws {
        let activity = AdvertisedActivity(typeHash: try ActivityTypeHash(bytes: [1, 2, 3, 4]), tag: ActivityTag(0x7F))
        for (hasDocument, last) in [(false, "7f"), (true, "ff")] {
            let payload = AdvertisementPayload(
                hasWebpage: false,
                hasDocument: hasDocument,
                port: try #require(LEPSM(exactly: 0x81)),
                activity: activity
            )
            #expect(hex(payload.encode()) == "0101020304" + last)
            #expect(try AdvertisementPayload(decoding: payload.encode()) == payload)
        }
    }

    @Test("A withdrawal has a type hash of four zero bytes; its tag is 0, and ignored")
    func withdrawal() throws {
        let payload = AdvertisementPayload(hasWebpage: false, port: try #require(LEPSM(exactly: 0x81)), activity: nil)
        #expect(payload.encode() == [1, 0, 0, 0, 0, 0])
        for last: UInt8 in [9, 0xFF] {
            #expect(try AdvertisementPayload(decoding: [1, 0, 0, 0, 0, last]) == payload)
        }
        #expect(try AdvertisementPayload(decoding: [1, 0, 0, 0, 9, 0]).activity?.tag == ActivityTag(0))
    }

    @Test("Any six bytes with an activity are the same after decoding and encoding")
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
