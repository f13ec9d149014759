import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffWire
import TestLimits
import Testing

@Suite("The session of a take carries its report", .endsWithin(minutes: 10))
struct SessionReportTests {
    private static func report() throws -> TakeReport { TakeReport(try .sample(1), .continued(.document)) }

    /// A session whose activity was acknowledged.
    private static func acknowledged() throws -> SessionPair {
        var pair = try SessionPair()
        let answer = try pair.exchange(.activity(.sample())).second
        _ = try pair.taking(answer)
        guard try pair.serve.acknowledge(try pair.fetch.acknowledge()) else { throw SessionPair.Unfinished() }
        return pair
    }

    @Test("A report and its acknowledgement are transferred in pieces of any size", arguments: [1, 7, 1000])
    func exchange(size: Int) throws {
        var pair = try Self.acknowledged()
        var received: TakeReport?
        for piece in try pair.fetch.report(Self.report()).pieces(of: size) {
            received = try pair.serve.receiveReport(piece)
        }
        #expect(try received == Self.report())
        var acknowledgement: Acknowledgement?
        for piece in try pair.serve.conclude(Acknowledgement()).pieces(of: size) {
            acknowledgement = try pair.fetch.receiveAcknowledgement(piece)
        }
        #expect(acknowledgement == Acknowledgement())
    }

    @Test("A report that arrives together with the acknowledgement is not lost")
    func together() throws {
        var pair = try SessionPair()
        let answer = try pair.exchange(.activity(.sample())).second
        _ = try pair.taking(answer)
        let acknowledgement = try pair.fetch.acknowledge()
        #expect(try pair.serve.acknowledge(acknowledgement + pair.fetch.report(Self.report())))
        #expect(try pair.serve.receiveReport([]) == Self.report())
    }

    @Test("A report that was changed on its way ends the session")
    func damaged() throws {
        var pair = try Self.acknowledged()
        let report = try pair.fetch.report(Self.report())
        for index in report.indices {
            var (damaged, serve) = (report, pair.serve)
            damaged[index] ^= 0x41
            let received = try? serve.receiveReport(damaged)
            #expect(received == nil, "byte \(index)")
        }
    }

    @Test("Anything but a report in its place ends the session")
    func anythingElse() throws {
        var pair = try Self.acknowledged()
        let bytes = try SessionPair().serve.greeting
        #expect { try pair.serve.receiveReport(bytes) } throws: { ($0 as? HandoffError)?.code == .peerMisbehaved }
    }

    @Test("A report in a session of its own is answered")
    func ownSession() throws {
        let (asking, answering) = (DeviceKeys.generate(), DeviceKeys.generate())
        let request = Request.report(try Self.report())
        var call = ClientSession(keys: asking, peer: answering.publicKeys, request: request)
        var serve = try SessionPair.server(answering, trusting: [asking])
        #expect(try serve.receiveRequest(try call.opened(by: serve))?.request == request)
        #expect(try call.receive(try serve.answer(.noted))?.answer == .noted)
    }
}
