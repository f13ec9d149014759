@testable import HandoffDaemon
import HandoffModel
import HandoffWire
import Testing
import TestLimits

@Suite("Which addresses a device offers, and to which it connects", .endsWithin(minutes: 10))
struct NetworkCandidateTests {
    private static let own = [
        InterfaceAddress(.v4(0x0A09_0001), prefixLength: 24, interface: 2),
        InterfaceAddress(.v6(0x2001_0DB8_0000_0001, 1), prefixLength: 64, interface: 2),
        InterfaceAddress(.v6(0xFE80_0000_0000_0000, 1), prefixLength: 64, interface: 2),
        InterfaceAddress(.v4(0xC0A8_0701), prefixLength: 24, interface: 3),
        InterfaceAddress(.v6(0xFE80_0000_0000_0000, 3), prefixLength: 64, interface: 3),
    ]

    private static func candidates(_ addresses: IPAddress...) throws -> [NetworkCandidate] {
        let secret = [UInt8](repeating: 1, count: NetworkOffer.secretBytes)
        let offer = try #require(NetworkOffer(port: 40_000, secret: secret, addresses: addresses, hasAES: false))
        return NetworkCandidate.all(of: offer, own: own)
    }

    @Test("Private addresses are tried wherever they are, public ones in the own networks only")
    func reach() throws {
        let (far, near) = (IPAddress.v4(0xAC10_0505), IPAddress.v6(0x2001_0DB8_0000_0001, 9))
        #expect(
            try Self.candidates(far, near, .v4(0x0808_0808), .v6(0x2001_0DB8_0000_0002, 9))
                == [NetworkCandidate(address: far, interface: 0), NetworkCandidate(address: near, interface: 0)]
        )
    }

    @Test("A link-local address is tried on every interface that has one")
    func links() throws {
        let address = IPAddress.v6(0xFE80_0000_0000_0000, 9)
        let expected = [2, 3].map { NetworkCandidate(address: address, interface: $0) }
        #expect(try Self.candidates(address) == expected)
    }

    @Test("A device does not connect to itself")
    func itself() throws {
        #expect(try Self.candidates(.v4(0x0A09_0001), .v4(0xC0A8_0701)).isEmpty)
    }

    @Test("However many interfaces there are, the number of connections has a limit")
    func limit() throws {
        let own = (1...40).map {
            InterfaceAddress(.v6(0xFE80_0000_0000_0000, UInt64($0)), prefixLength: 64, interface: $0)
        }
        let secret = [UInt8](repeating: 1, count: NetworkOffer.secretBytes)
        let addresses = (100..<108).map { IPAddress.v6(0xFE80_0000_0000_0000, $0) }
        let offer = try #require(NetworkOffer(port: 40_000, secret: secret, addresses: addresses, hasAES: false))
        #expect(NetworkCandidate.all(of: offer, own: own).count == NetworkCandidate.maximumCount)
    }

    @Test("Of many addresses, each interface's first one is offered before the others")
    func offered() {
        let all = Self.own.map(\.address)
        #expect(NetworkCandidate.offered(Self.own) == [all[0], all[3], all[1], all[4], all[2]])
        let many = (0..<30).map { InterfaceAddress(.v4(0x0A00_0001 + $0), prefixLength: 8, interface: $0 / 3) }
        let offered = NetworkCandidate.offered(many)
        #expect(offered.count == NetworkOffer.maximumAddresses)
        #expect(offered == (0..<8).map { .v4(0x0A00_0001 + 3 * $0) })
    }
}
