import Bluetooth
import BlueZ
import HandoffRadio
import Logging
import SystemPackage
import Testing
import TestLimits

@testable import HandoffRadioBlueZ

@Suite("The users of links", .endsWithin(minutes: 10))
struct LinkUsageTableTests {
    private let peer = BluetoothAddress("C0:00:00:00:00:01", kind: .random)

    @Test("The link of the last user is dropped, once, and not when a new user has come")
    func lastUser() throws {
        let peer = try #require(peer)
        var links = LinkUsageTable()
        links.addUser(of: peer, isForeign: false)
        links.addUser(of: peer, isForeign: false)
        links.removeUser(of: peer)
        let whileUsed = links.removeIfUnused(peer)
        links.removeUser(of: peer)
        links.addUser(of: peer, isForeign: false)
        let usedAgain = links.removeIfUnused(peer)
        links.removeUser(of: peer)
        let unused = links.removeIfUnused(peer)
        let twice = links.removeIfUnused(peer)
        #expect([whileUsed, usedAgain, unused, twice] == [false, false, true, false])
    }

    @Test("A link that was used again is kept until its last user has been gone for as long as that one wants")
    func usedAgain() throws {
        let peer = try #require(peer)
        var links = LinkUsageTable()
        links.addUser(of: peer, isForeign: false)
        let first = links.removeUser(of: peer)
        links.addUser(of: peer, isForeign: false)
        let second = links.removeUser(of: peer)
        let outcomes = [links.removeIfUnused(peer, since: first), links.removeIfUnused(peer, since: second)]
        #expect(outcomes == [false, true])
    }

    @Test("A link that existed before is not dropped")
    func foreign() throws {
        let peer = try #require(peer)
        var links = LinkUsageTable()
        links.addUser(of: peer, isForeign: true)
        #expect(links.contains(peer))
        links.removeUser(of: peer)
        let isOurs = links.removeIfUnused(peer)
        #expect(isOurs == false)
        #expect(links.contains(peer) == false)
    }

    @Test("A link that turns out to belong to another program is not dropped with its last user")
    func disowned() throws {
        let peer = try #require(peer)
        var links = LinkUsageTable()
        links.addUser(of: peer, isForeign: false)
        links.markForeign(peer)
        links.removeUser(of: peer)
        let isOurs = links.removeIfUnused(peer)
        #expect(isOurs == false)
        #expect(links.contains(peer) == false)
    }

    @Test("A link that is followed is dropped when no channel uses it, and looked at again while one does")
    func followed() throws {
        let peer = try #require(peer)
        var links = LinkUsageTable()
        let number = links.follow(peer)
        var verdicts = [links.verdict(on: peer, number)]
        links.addUser(of: peer, isForeign: false)
        verdicts.append(links.verdict(on: peer, number))
        // bluetoothd had read the services before the channel was opened, so the link is not dropped with its last user.
        links.markForeign(peer)
        links.removeUser(of: peer)
        verdicts.append(links.verdict(on: peer, number))
        #expect(verdicts == [.drop, .lookAgain, .drop])
    }

    @Test("A link over which channel after channel ends without a proof is dropped even while one is open")
    func failures() throws {
        let peer = try #require(peer)
        var links = LinkUsageTable()
        let number = links.follow(peer)
        let verdicts = (0..<5).map { _ in
            links.addUser(of: peer, isForeign: false)
            defer {
                links.recordFailure(of: peer)
                links.removeUser(of: peer)
            }
            return links.verdict(on: peer, number)
        }
        #expect(verdicts == [.lookAgain, .lookAgain, .lookAgain, .lookAgain, .drop])
    }

    @Test("A link whose device has proved who it is is left alone for good, whichever is known first")
    func proven() throws {
        let peer = try #require(peer)
        var links = LinkUsageTable()
        links.addUser(of: peer, isForeign: true)
        links.recordProof(of: peer)
        let number = links.follow(peer)
        links.removeUser(of: peer)
        let early = links.verdict(on: peer, number)
        let next = links.follow(peer)
        links.recordProof(of: peer)
        #expect([early, links.verdict(on: peer, next)] == [.keep, .keep])
    }

    @Test("A link that has come to be another one is left to the follower of that")
    func followedAgain() throws {
        let peer = try #require(peer)
        var links = LinkUsageTable()
        let (first, second) = (links.follow(peer), links.follow(peer))
        links.unfollow(peer, first)
        #expect([links.verdict(on: peer, first), links.verdict(on: peer, second)] == [.keep, .drop])
        links.unfollow(peer, second)
        #expect(links.verdict(on: peer, second) == .keep)
    }

    @Test("A link counts as up from its first channel on, until it is dropped")
    func up() throws {
        let peer = try #require(peer)
        var links = LinkUsageTable()
        links.recordChannel(to: peer)
        links.addUser(of: peer, isForeign: false)
        let whileDialling = links.hasCarriedChannel(to: peer)
        links.recordChannel(to: peer)
        links.removeUser(of: peer)
        let unused = links.hasCarriedChannel(to: peer)
        _ = links.removeIfUnused(peer)
        links.addUser(of: peer, isForeign: false)
        let again = links.hasCarriedChannel(to: peer)
        #expect([whileDialling, unused, again] == [false, true, false])
    }

    @Test("The removal of an unknown user changes nothing: the table may have been cleared meanwhile")
    func unknown() throws {
        let peer = try #require(peer)
        var links = LinkUsageTable()
        links.removeUser(of: peer)
        let isOurs = links.removeIfUnused(peer)
        #expect(isOurs == false)
    }
}

@Suite("Retries of a dial", .endsWithin(minutes: 10))
struct DialBackoffTests {
    @Test("Transient failures are retried with growing delays while there is time")
    func pauses() {
        var backoff = DialBackoff()
        let delays = (0..<7).map { _ in backoff.delay(after: .transient, left: .seconds(60)) }
        #expect(delays == [100, 200, 400, 800, 1600, 2000, 2000].map { .milliseconds($0) })
        let tooLate = backoff.delay(after: .busy, left: .seconds(1))
        #expect(tooLate == nil)
    }

    @Test(
        "Permanent failures are not retried",
        arguments: [L2CAPError.Code.refused, .timedOut, .cancelled, .noAdapter]
    )
    func final(code: L2CAPError.Code) {
        var backoff = DialBackoff()
        let delay = backoff.delay(after: code, left: .seconds(60))
        #expect(delay == nil)
    }
}

@Suite("The transport of a dial", .endsWithin(minutes: 10))
struct TransportTests {
    private enum Way { case socket, gatt, refused }

    @Test("A port that is not a PSM leads to the GATT transport, unless that is forbidden")
    func ways() throws {
        let psm = LEPSM(lowFiveBits: 0)
        let ways = ChannelTransport.allCases.map { transport in
            [psm, .gattOnly].map { port in
                let radio = BlueZRadio(transport: transport, logger: Logger(label: "test"))
                do { return try radio.usesGATT(for: port) ? Way.gatt : .socket } catch { return .refused }
            }
        }
        #expect(ways == [[.socket, .gatt], [.socket, .gatt], [.socket, .refused], [.gatt, .gatt]])
    }

    @Test(
        "Only a feature that this host lacks leads to GATT, and no failure on the air",
        arguments: [
            (Errno.addressFamilyNotSupported, L2CAPError.Operation.listen, true),
            (.protocolNotSupported, .connect, true),
            (.notSupportedOnSocket, .listen, true), (.notPermitted, .connect, true), (.noFunction, .listen, true),
            (.noFunction, .connect, false), (.connectionRefused, .connect, false), (.timedOut, .connect, false),
            (.noRouteToHost, .connect, false), (.addressInUse, .listen, false),
        ]
    )
    func fallingBack(errno: Errno, operation: L2CAPError.Operation, expected: Bool) {
        #expect(L2CAPError(errno, during: operation).code.indicatesNoL2CAP == expected)
    }
}

@Suite("The configuration file main.conf", .endsWithin(minutes: 10))
struct MainConfigurationTests {
    @Test(
        "Privacy and interval are read, and everything else is ignored",
        arguments: [
            ("", false, false), ("[General]\n#Privacy = device\n", false, false),
            ("[General]\nPrivacy = off\n", false, false), ("[General]\n Privacy=Device \n", true, false),
            ("[LE]\nPrivacy = device\n", false, false), ("[LE]\nMinAdvertisementInterval=244\r\n", false, true),
            ("[General]\nPrivacy = network\n[LE]\nMinAdvertisementInterval = 244", true, true),
            ("[General\n=\n[]\nPrivacy\n", false, false),
        ]
    )
    func values(text: String, isPrivate: Bool, setsInterval: Bool) {
        let configuration = MainConfiguration(text)
        #expect(configuration.usesPrivateAddress == isPrivate)
        #expect(configuration.setsInterval == setsInterval)
    }

    @Test("A missing file has the values as shipped")
    func missing() {
        #expect(MainConfiguration.current(path: "/nowhere/main.conf") == MainConfiguration(""))
    }
}

@Suite("Errors of the layers below", .endsWithin(minutes: 10))
struct RadioErrorTests {
    @Test(
        "Errors of bluetoothd are mapped to errors of the radio",
        arguments: [
            (BlueZError.Code.serviceRestarted, RadioError.Code.serviceAbsent), (.accessDenied, .notPermitted),
            (.adapterAbsent, .noAdapter), (.blocked, .blocked), (.poweredOff, .poweredOff),
            (.advertisingSlotsTaken, .advertisingRefused), (.timedOut, .advertisingRefused),
        ]
    )
    func bluez(code: BlueZError.Code, expected: RadioError.Code) {
        #expect(RadioError(BlueZError(code, "x"), refusal: .advertisingRefused).code == expected)
    }

    @Test(
        "Errors of the kernel are mapped to errors of the radio",
        arguments: [
            (Errno.connectionRefused, RadioError.Code.refused), (.timedOut, .timedOut), (.noRouteToHost, .noAdapter),
            (.noFunction, .timedOut), (.networkDown, .poweredOff), (.hostIsDown, .timedOut),
            (.permissionDenied, .notPermitted),
        ]
    )
    func kernel(errno: Errno, expected: RadioError.Code) {
        #expect(RadioError(L2CAPError(errno, during: .connect), refusal: .timedOut).code == expected)
    }
}
