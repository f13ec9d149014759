import HandoffModel
import Testing
import TestLimits

@Suite("Addresses of the Internet Protocol", .endsWithin(minutes: 10))
struct IPAddressTests {
    private static func v4(_ bytes: UInt8...) throws -> IPAddress { try #require(IPAddress(bytes: bytes)) }

    private static func v6(_ groups: UInt16...) throws -> IPAddress {
        let bytes = groups.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        return try #require(IPAddress(bytes: bytes))
    }

    @Test("An address has the bytes that it was made with, and no other number than 4 or 16")
    func bytes() throws {
        for bytes in [[10, 0, 0, 1], (1...16).map { UInt8($0) }] {
            #expect(IPAddress(bytes: bytes)?.bytes == bytes)
        }
        for count in [0, 3, 5, 15, 17] { #expect(IPAddress(bytes: [UInt8](repeating: 1, count: count)) == nil) }
    }

    @Test("An address is written as usual")
    func text() throws {
        #expect(try Self.v4(192, 168, 7, 1).description == "192.168.7.1")
        #expect(try Self.v6(0xFE80, 0, 0, 0, 0, 0, 0xABC, 1).description == "fe80:0:0:0:0:0:abc:1")
    }

    @Test("Only unicast addresses of one interface are unicast addresses")
    func unicast() throws {
        let unicast = [
            try Self.v4(10, 0, 0, 1), try Self.v4(169, 254, 3, 4), try Self.v4(203, 0, 113, 9),
            try Self.v4(223, 255, 255, 255), try Self.v4(126, 0, 0, 1), try Self.v4(128, 0, 0, 1),
            try Self.v6(0xFE80, 0, 0, 0, 0, 0, 0, 1), try Self.v6(0xFD00, 0, 0, 0, 0, 0, 0, 1),
            try Self.v6(0x2001, 0xDB8, 0, 0, 0, 0, 0, 1),
        ]
        let others = [
            try Self.v4(0, 0, 0, 0), try Self.v4(0, 1, 2, 3), try Self.v4(127, 0, 0, 1), try Self.v4(127, 255, 0, 1),
            try Self.v4(224, 0, 0, 251), try Self.v4(239, 1, 1, 1), try Self.v4(240, 0, 0, 1),
            try Self.v4(255, 255, 255, 255), try Self.v6(0, 0, 0, 0, 0, 0, 0, 0), try Self.v6(0, 0, 0, 0, 0, 0, 0, 1),
            try Self.v6(0, 0, 0, 0, 0, 0xFFFF, 0x7F00, 1), try Self.v6(0, 0, 0, 0, 0, 0, 0x7F00, 1),
            try Self.v6(0xFF02, 0, 0, 0, 0, 0, 0, 0xFB),
        ]
        for address in unicast { #expect(address.isUnicast, "\(address)") }
        for address in others { #expect(!address.isUnicast, "\(address)") }
    }

    @Test("Private ranges end where the standards say")
    func privateRanges() throws {
        let inside = [
            try Self.v4(10, 255, 0, 1), try Self.v4(172, 16, 0, 1), try Self.v4(172, 31, 255, 1),
            try Self.v4(192, 168, 0, 1), try Self.v4(169, 254, 0, 1), try Self.v4(100, 64, 0, 1),
            try Self.v4(100, 127, 255, 1), try Self.v6(0xFC00, 0, 0, 0, 0, 0, 0, 1),
            try Self.v6(0xFDFF, 0, 0, 0, 0, 0, 0, 1), try Self.v6(0xFE80, 0, 0, 0, 0, 0, 0, 1),
            try Self.v6(0xFEBF, 0, 0, 0, 0, 0, 0, 1),
        ]
        let outside = [
            try Self.v4(11, 0, 0, 1), try Self.v4(172, 15, 0, 1), try Self.v4(172, 32, 0, 1),
            try Self.v4(192, 169, 0, 1),
            try Self.v4(169, 253, 0, 1), try Self.v4(100, 63, 0, 1), try Self.v4(100, 128, 0, 1),
            try Self.v4(8, 8, 8, 8),
            try Self.v6(0xFBFF, 0, 0, 0, 0, 0, 0, 1), try Self.v6(0xFE00, 0, 0, 0, 0, 0, 0, 1),
            try Self.v6(0xFEC0, 0, 0, 0, 0, 0, 0, 1), try Self.v6(0x2001, 0xDB8, 0, 0, 0, 0, 0, 1),
        ]
        for address in inside { #expect(address.isPrivate, "\(address)") }
        for address in outside { #expect(!address.isPrivate, "\(address)") }
        #expect(try Self.v6(0xFE80, 0, 0, 0, 0, 0, 0, 1).needsInterface)
        #expect(try !Self.v6(0xFD00, 0, 0, 0, 0, 0, 0, 1).needsInterface)
        #expect(try !Self.v4(169, 254, 0, 1).needsInterface)
    }

    @Test("A network contains the addresses that begin with its bits, and none of the other family")
    func networks() throws {
        let network = IPNetwork(try Self.v4(10, 9, 128, 7), prefixLength: 17)
        #expect(network.contains(try Self.v4(10, 9, 255, 1)))
        #expect(!network.contains(try Self.v4(10, 9, 127, 1)))
        #expect(!network.contains(try Self.v6(0x0A09, 0x8000, 0, 0, 0, 0, 0, 1)))
        let link = IPNetwork(try Self.v6(0x2001, 0xDB8, 0, 5, 0, 0, 0, 1), prefixLength: 64)
        #expect(link.contains(try Self.v6(0x2001, 0xDB8, 0, 5, 9, 9, 9, 9)))
        #expect(!link.contains(try Self.v6(0x2001, 0xDB8, 0, 6, 0, 0, 0, 1)))
        let one = IPNetwork(try Self.v4(10, 0, 0, 1), prefixLength: 99)
        #expect(one.contains(try Self.v4(10, 0, 0, 1)))
        #expect(!one.contains(try Self.v4(10, 0, 0, 2)))
    }
}
