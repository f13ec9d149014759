import HandoffModel
import TestLimits
import Testing

@Suite("Identifiers", .endsWithin(minutes: 10))
struct IdentifierTests {
    @Test("A device identifier is written and read as sixteen lower-case hexadecimal digits")
    func deviceID() throws {
        let identifier = try DeviceID(bytes: [0x00, 0x1A, 0xFF, 3, 4, 5, 6, 0x90])
        #expect(identifier.description == "001aff0304050690")
        #expect(try DeviceID("001aff0304050690") == identifier)
        #expect(identifier.bytes == [0x00, 0x1A, 0xFF, 3, 4, 5, 6, 0x90])
    }

    @Test(
        "Other text is not a device identifier",
        arguments: [
            "", "001aff030405069", "001aff03040506900", "001AFF0304050690", "001aff030405069g", "0x1aff0304050690",
        ]
    )
    func noDeviceID(text: String) {
        let error = #expect(throws: ModelError.self) { try DeviceID(text) }
        #expect(error?.code == .invalidIdentifier)
    }

    @Test(
        "A prefix matches a device unless it is empty",
        arguments: [("0", true), ("001aff", true), ("001aff0304050690", true), ("1", false), ("", false)]
    )
    func prefix(prefix: String, matches: Bool) throws {
        #expect(try DeviceID("001aff0304050690").matches(prefix: prefix) == matches)
    }

    @Test("A type hash has four bytes")
    func typeHash() throws {
        #expect(try ActivityTypeHash(bytes: [0, 1, 0xFE, 0xFF]).description == "0001feff")
        #expect(try ActivityTypeHash(bytes: [0, 1, 0xFE, 0xFF]).bytes == [0, 1, 0xFE, 0xFF])
        for count in [0, 3, 5] {
            #expect(throws: ModelError.self) { try ActivityTypeHash(bytes: [UInt8](repeating: 0, count: count)) }
        }
    }
}
