import HandoffModel
import HandoffWire
import Testing
import TestLimits

@Suite("Offers of network addresses", .endsWithin(minutes: 10))
struct NetworkOfferTests {
    private static let secret = (0..<32).map { UInt8($0) }
    private static let address = IPAddress.v4(0x0A09_0001)
    private static let link = IPAddress.v6(0xFE80_0000_0000_0000, 1)

    private static func offer(_ addresses: [IPAddress], port: UInt16 = 40_000, hasAES: Bool = false) -> NetworkOffer? {
        NetworkOffer(port: port, secret: secret, addresses: addresses, hasAES: hasAES)
    }

    @Test("An offer is decoded as it was encoded, and all offers have one length")
    func roundTrip() throws {
        let eight = (0..<8).map { IPAddress.v4(0x0A00_0001 + $0) }
        let offers = [
            nil, Self.offer([Self.address]), Self.offer([Self.link, Self.address]), Self.offer(eight),
            Self.offer([Self.address], hasAES: true),
        ]
        for offer in offers {
            let bytes = StreamPiece.offer(offer).encode()
            #expect(bytes.count == 192)
            #expect(try StreamPiece(decoding: bytes) == .offer(offer))
        }
    }

    @Test("An offer has 1 to 8 different addresses of single computers, and a port that needs no privilege")
    func limits() {
        #expect(Self.offer([]) == nil)
        #expect(Self.offer((0..<9).map { IPAddress.v4(0x0A00_0001 + $0) }) == nil)
        #expect(Self.offer([Self.address, Self.address]) == nil)
        #expect(Self.offer([.v4(0x7F00_0001)]) == nil)
        #expect(Self.offer([Self.address, .v4(0xE000_00FB)]) == nil)
        #expect(Self.offer([Self.address], port: 22) == nil)
        #expect(Self.offer([Self.address], port: 1023) == nil)
        #expect(Self.offer([Self.address], port: 1024) != nil)
        #expect(NetworkOffer(port: 40_000, secret: [1], addresses: [Self.address], hasAES: false) == nil)
    }

    /// What a lying member may write where an offer has its parts: the place, and the bytes.
    private static let forgeries: [(String, Int, [UInt8], WireError.Code)] = [
        ("port 22", 3, [0, 22], .invalidContent), ("port 0 with an address", 3, [0, 0], .invalidContent),
        ("loopback", 37, [4, 127, 0, 0, 1], .invalidContent),
        ("multicast", 37, [4, 224, 0, 0, 251], .invalidContent),
        ("broadcast", 37, [4, 255, 255, 255, 255], .invalidContent),
        ("no address", 37, [4, 0, 0, 0, 0], .invalidContent),
        ("another kind", 37, [5], .malformed), ("more than four bytes of IPv4", 42, [1], .malformed),
        ("a gap before an address", 71, [4, 10, 0, 0, 2], .malformed),
        ("a byte behind the addresses", 172, [1], .malformed), ("more than the bit for AES", 173, [2], .malformed),
        ("the same address twice", 54, [4, 10, 9, 0, 1], .invalidContent),
    ]

    @Test("An offer with anything else is refused", arguments: forgeries.indices)
    func refused(index: Int) throws {
        let (what, place, forged, code) = Self.forgeries[index]
        var bytes = StreamPiece.offer(Self.offer([Self.address])).encode()
        bytes.replaceSubrange(place..<place + forged.count, with: forged)
        #expect("\(what)") { try StreamPiece(decoding: bytes) } throws: { ($0 as? WireError)?.code == code }
    }

    @Test("An offer of 10,000 addresses, or of another length, is refused")
    func lengths() {
        for count in [0, 1, 170, 172, 10_000 * 17 / 3] {
            let size = (3 + count + 63) / 64 * 64
            let bytes = [3, UInt8(count >> 8), UInt8(count & 0xFF)] + [UInt8](repeating: 0, count: size - 3)
            #expect(throws: WireError.self) { try StreamPiece(decoding: bytes) }
        }
    }
}
