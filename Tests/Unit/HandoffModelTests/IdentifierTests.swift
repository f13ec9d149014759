import HandoffModel
import TestLimits
import Testing

@Suite("Identifiers and names", .endsWithin(minutes: 10))
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

    @Test("Blanks around a device name are removed")
    func trimmedName() throws {
        #expect(try DeviceName(" \t Kitchen Laptop\n").rawValue == "Kitchen Laptop")
    }

    @Test(
        "A device name that is not short printable text is refused",
        arguments: ["", "  ", "a\nb", "a\u{0}", "a\u{202E}b", String(repeating: "ä", count: 33)]
    )
    func refusedName(name: String) {
        let error = #expect(throws: ModelError.self) { try DeviceName(name) }
        #expect(error?.code == .invalidName)
    }

    @Test(
        "Any text can be converted to a device name",
        arguments: [
            ("laptop.local", "laptop.local"), ("", "Linux"), (" \u{7} ", "Linux"), ("a\nb", "ab"),
            (String(repeating: "ä", count: 40), String(repeating: "ä", count: 32)),
            (String(repeating: "a", count: 63) + " b", String(repeating: "a", count: 63)),
        ]
    )
    func sanitizedName(text: String, name: String) throws {
        let made = DeviceName(sanitizing: text)
        #expect(made.rawValue == name)
        #expect(try DeviceName(made.rawValue) == made)
    }
}
