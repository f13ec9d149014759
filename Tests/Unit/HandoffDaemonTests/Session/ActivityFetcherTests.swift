import AsyncSupport
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffRadio
import HandoffWire
import TestLimits
import TestRuns
import Testing

@testable import HandoffDaemon

@Suite("An activity is fetched from the present address of its device", .endsWithin(minutes: 10, places: 4))
struct ActivityFetcherTests {
    private static let one = RadioAddress("C0:00:00:00:00:01/random")
    private static let other = RadioAddress("C0:00:00:00:00:02/random")

    @Test("A device that is heard at another address while it is dialled is dialled there")
    func moved() async throws {
        try await EngineWorld.runReady { world, peer in
            let radio = DialRecordingRadio(refusing: Self.other)
            let failure = try await Self.failure(of: peer, heardAt: [Self.one], over: radio, in: world) {
                // The device moves only once the old address is being dialled.
                _ = try await radio.dials.changed(since: radio.dials.initial)
                world.engine.nearby.receive(try peer.advertisementReport(of: "edit", from: Self.other))
            }
            #expect(failure == .peerRefused)
            #expect(radio.dials.value == [Self.one, Self.other])
        }
    }

    @Test("A device that is heard at the address that is being dialled is not dialled again")
    func stayed() async throws {
        try await EngineWorld.runReady { world, peer in
            let radio = DialRecordingRadio()
            let fetcher = ActivityFetcher(client: SessionClient(engine: world.engine, radio: radio))
            world.engine.nearby.receive(try peer.advertisementReport(of: "edit", from: Self.one))
            let id = try #require(world.nearby.first).id
            try await withServices([
                { try await fetcher.client.run() }, { _ = try await fetcher.fetch(id, for: .preview) },
            ]) {
                _ = try await awaiting("a dial") { try await radio.dials.changed(since: radio.dials.initial) }
                for _ in 0..<100 {
                    world.engine.nearby.receive(try peer.advertisementReport(of: "edit", from: Self.one))
                }
            }
            #expect(radio.dials.value == [Self.one])
        }
    }

    @Test("A device whose link breaks is dialled again, but not for ever")
    func broken() async throws {
        try await EngineWorld.runReady { world, peer in
            let radio = DialRecordingRadio(breaking: Self.one)
            let failure = try await Self.failure(of: peer, heardAt: [Self.one], over: radio, in: world)
            #expect(failure == .peerUnreachable)
            #expect(radio.dials.value == [Self.one, Self.one, Self.one])
        }
    }

    @Test("The error that follows the reconnection of a broken link is the one that is reported")
    func brokenOnce() async throws {
        try await EngineWorld.runReady { world, peer in
            let radio = DialRecordingRadio(refusing: Self.one, breaking: Self.one, breaks: 1)
            let failure = try await Self.failure(of: peer, heardAt: [Self.one], over: radio, in: world)
            #expect(failure == .peerRefused)
            #expect(radio.dials.value == [Self.one, Self.one])
        }
    }

    @Test("A device whose link breaks is dialled at its other address as well, and again at the first one")
    func brokenAndElsewhere() async throws {
        try await EngineWorld.runReady { world, peer in
            let radio = DialRecordingRadio(refusing: Self.other, breaking: Self.one)
            let failure = try await Self.failure(of: peer, heardAt: [Self.other, Self.one], over: radio, in: world)
            #expect(failure != nil)
            #expect(radio.dials.value == [Self.one, Self.other, Self.one, Self.one])
        }
    }

    @Test("An answer of another kind or type is not acknowledged, and a refusal is")
    func acknowledgement() async throws {
        let answers: [(Answer, HandoffError.Code?, isAcknowledged: Bool)] = [
            (.activity(try .sample("edit")), nil, true),
            (.activity(try .sample("draw")), .peerMisbehaved, false),
            (.activity(try Self.document("file:///etc/passwd")), .peerMisbehaved, false),
            (.activity(try Self.document("handoff-folder:nowhere/a.txt")), .noSuchFolder, false),
            (.stream, .peerMisbehaved, false),
            (.noted, .peerMisbehaved, false),
            (.refusal(Refusal(.busy, "later")), .peerRefused, true),
        ]
        for (answer, code, isAcknowledged) in answers {
            try await EngineWorld.runReady { world, peer in
                let trial = try SessionTrial(peer.keys, devices: [world.engine.identity.keys.publicKeys])
                let radio = AnsweringRadio(trial: trial, answer: answer)
                let fetcher = ActivityFetcher(client: SessionClient(engine: world.engine, radio: radio))
                world.engine.nearby.receive(try peer.advertisementReport(of: "edit"))
                let id = try #require(world.nearby.first).id
                let failure = try await withServices([{ try await fetcher.client.run() }]) {
                    do {
                        _ = try await awaiting("the end of a fetch") { try await fetcher.fetch(id, for: .preview) }
                        return HandoffError.Code?.none
                    } catch let error as HandoffError {
                        return error.code
                    }
                }
                #expect(failure == code)
                #expect(radio.acknowledged.value == isAcknowledged)
            }
        }
    }

    /// The sample activity with a document.
    private static func document(_ url: String) throws -> Activity {
        try Activity(type: Activity.sample("edit").type, userInfo: [Activity.documentURLKey: .url(url)])
    }

    /// The error of a fetch from a device that was heard at `addresses`, the last one last; nil if the fetch succeeds.
    private static func failure(
        of peer: Peer,
        heardAt addresses: [RadioAddress],
        over radio: DialRecordingRadio,
        in world: EngineWorld,
        meanwhile: @escaping @Sendable () async throws -> Void = {}
    ) async throws -> HandoffError.Code? {
        let fetcher = ActivityFetcher(client: SessionClient(engine: world.engine, radio: radio))
        for address in addresses {
            world.engine.nearby.receive(try peer.advertisementReport(of: "edit", from: address))
        }
        let id = try #require(world.nearby.first).id
        return try await withServices([{ try await fetcher.client.run() }, meanwhile]) {
            do {
                _ = try await awaiting("the end of a fetch") { try await fetcher.fetch(id, for: .preview) }
                return nil
            } catch let error as HandoffError {
                return error.code
            }
        }
    }
}
