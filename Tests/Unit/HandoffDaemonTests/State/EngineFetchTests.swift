import AsyncSupport
import DBus
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffWire
import TestLimits
import Testing

@testable import HandoffDaemon

@Suite("The engine answers fetches with the state that the app saved last", .endsWithin(minutes: 10))
struct EngineFetchTests {
    private static let client: BusName = ":1.1"

    private static let take = TakeID.random()

    /// A request for the current activity.
    private static func request(
        in world: EngineWorld,
        for purpose: FetchRequest.Purpose = .take(take)
    ) throws -> FetchRequest {
        FetchRequest(number: try #require(world.advertisedNumber), purpose: purpose)
    }

    /// An activity whose app can be asked, and has something to save.
    private static func publishDirty(in world: EngineWorld) throws -> ActivityID {
        let id = try world.engine.activities.create(
            .sample(),
            isEligible: true,
            needsSave: true,
            delegate: "/app",
            by: Self.client
        )
        try world.engine.activities.becomeCurrent(id, by: Self.client)
        world.effects.clear()
        return id
    }

    /// An app that records the save requests that it gets.
    private final class App: EngineObserver {
        let engine: Engine
        let effects: RecordedEffects
        let asked = CurrentValue<[SaveRequests.Request]>([])

        init(_ world: EngineWorld) {
            engine = world.engine
            effects = world.effects
            // The outcome must not depend on how busy the machine is.
            engine.edit { $0.origin.saveTimeout = .seconds(600) }
        }

        func show(_ effect: Engine.Effect) {
            effects.show(effect)
            if case .saveRequested(_, let saveRequest) = effect { asked.modify { $0.append(saveRequest) } }
        }

        func deliver(_ stream: Engine.IncomingStream) async throws(HandoffError) {}

        func saveRequest() async throws -> SaveRequests.Request {
            var asked = asked.current
            while asked.value.isEmpty { asked = try await self.asked.changed(since: asked) }
            return asked.value[0]
        }
    }

    @Test("Several devices that fetch at once cause one save request, and all get the state that was saved")
    func severalAtOnce() async throws {
        try await EngineWorld.runReady { world, _ in
            let id = try Self.publishDirty(in: world)
            let app = App(world)
            world.engine.observe(by: app)
            let engine = world.engine
            let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
                for _ in 0..<3 {
                    group.addTask { try await engine.sessions.answer(to: Self.request(in: world)).answer }
                }
                let saveRequest = try await app.saveRequest()
                try engine.activities.update(id, to: .sample(line: 7), isEligible: true, by: Self.client)
                engine.activities.saveEnded(saveRequest, .saved)
                var answers: [Answer] = []
                for try await answer in group { answers.append(answer) }
                return answers
            }
            #expect(answers == Array(repeating: .activity(try .sample(line: 7)), count: 3))
            #expect(world.effects.all.filter { $0.hasPrefix("save ") } == ["save \(id)", "save of \(id) saved"])
        }
    }

    @Test("An app that exits while its answer is awaited causes a refusal at once")
    func appLeaves() async throws {
        try await EngineWorld.runReady { world, _ in
            _ = try Self.publishDirty(in: world)
            let app = App(world)
            world.engine.observe(by: app)
            let engine = world.engine
            async let prepared = engine.sessions.answer(to: Self.request(in: world))
            _ = try await app.saveRequest()
            engine.activities.clientLeft(Self.client)
            #expect(try await prepared.activity == nil)
        }
    }

    @Test("The last state of an app that fails to save is sent, and the app is asked again the next time")
    func appFails() async throws {
        try await EngineWorld.runReady { world, _ in
            let id = try Self.publishDirty(in: world)
            let app = App(world)
            world.engine.observe(by: app)
            let engine = world.engine
            async let prepared = engine.sessions.answer(to: Self.request(in: world))
            engine.activities.saveEnded(try await app.saveRequest(), .failed)
            #expect(try await prepared.answer == .activity(try .sample()))
            #expect(engine.read { try? $0.origin.activity(id).needsSave } == true)
        }
    }

    @Test("The device that continues is told by name when it reports, once, and only for an activity")
    func report() async throws {
        try await EngineWorld.runReady { world, peer in
            let (id, engine, device) = (try world.publish(), world.engine, peer.device.id)
            world.effects.clear()
            let prepared = try await engine.sessions.answer(to: Self.request(in: world))
            engine.sessions.willSendAnswer(prepared, to: device)
            engine.sessions.acknowledged(prepared, by: device)
            #expect(world.effects.all == ["fetched \(id) 1"], "bytes that were fetched are not a continuation")
            for outcome in [TakeOutcome.continued(.app), .continued(.app), .failed(.appFailed)] {
                engine.takes.note(TakeReport(Self.take, outcome), by: device)
            }
            #expect(world.effects.all == ["fetched \(id) 1", "continued \(id) by laptop"])

            let refused = try await engine.sessions.answer(
                to: FetchRequest(number: AdvertisementNumber(slot: 1, lowNineBits: 1), purpose: .take(Self.take))
            )
            engine.sessions.willSendAnswer(refused, to: device)
            engine.sessions.acknowledged(refused, by: device)
            engine.sessions.willSendAnswer(prepared, to: device)
            try engine.activities.invalidate(id, by: Self.client)
            world.effects.clear()
            engine.takes.note(TakeReport(Self.take, .continued(.app)), by: device)
            #expect(world.effects.all.isEmpty, "the activity was invalidated")
        }
    }

    @Test("A continuation that fails on the other device is told with its reason")
    func failure() async throws {
        try await EngineWorld.runReady { world, peer in
            let id = try world.publish()
            let prepared = try await world.engine.sessions.answer(to: Self.request(in: world))
            world.engine.sessions.willSendAnswer(prepared, to: peer.device.id)
            world.effects.clear()
            world.engine.takes.note(TakeReport(Self.take, .failed(.appFailed)), by: peer.device.id)
            #expect(world.effects.all == ["\(id) failed by laptop: appFailed"])
        }
    }

    @Test("A device cannot report on the take of another, nor on one that does not exist")
    func foreignReports() async throws {
        try await EngineWorld.runReady { world, peer in
            let (id, other) = (try world.publish(), try Peer("tablet"))
            try await world.engine.trust.add(other.device)
            let prepared = try await world.engine.sessions.answer(to: Self.request(in: world))
            world.engine.sessions.willSendAnswer(prepared, to: peer.device.id)
            world.effects.clear()
            world.engine.takes.note(TakeReport(Self.take, .continued(.app)), by: other.device.id)
            world.engine.takes.note(TakeReport(.random(), .continued(.app)), by: peer.device.id)
            #expect(world.effects.all.isEmpty)
            world.engine.takes.note(TakeReport(Self.take, .continued(.app)), by: peer.device.id)
            #expect(world.effects.all == ["continued \(id) by laptop"], "the take is still open for its device")
        }
    }

    @Test("The reports of a device that was removed change nothing")
    func removedDevice() async throws {
        try await EngineWorld.runReady { world, peer in
            _ = try world.publish()
            let prepared = try await world.engine.sessions.answer(to: Self.request(in: world))
            world.engine.sessions.willSendAnswer(prepared, to: peer.device.id)
            try await world.engine.trust.remove(peer.device.id)
            world.effects.clear()
            world.engine.takes.note(TakeReport(Self.take, .continued(.app)), by: peer.device.id)
            #expect(world.effects.all.isEmpty)
        }
    }

    @Test("A preview asks no app to save, shows nothing and changes nothing")
    func preview() async throws {
        try await EngineWorld.runReady { world, peer in
            let id = try Self.publishDirty(in: world)
            let prepared = try await world.engine.sessions.answer(to: Self.request(in: world, for: .preview))
            #expect(prepared.answer == .activity(try .sample()))
            world.engine.sessions.willSendAnswer(prepared, to: peer.device.id)
            world.engine.sessions.acknowledged(prepared, by: peer.device.id)
            #expect(world.effects.all.isEmpty)
            #expect(world.engine.read { try? $0.origin.activity(id).needsSave } == true)
        }
    }

    @Test("A preview that asks for the newest state waits for the save, and tells the app nothing else")
    func freshPreview() async throws {
        try await EngineWorld.runReady { world, peer in
            let id = try Self.publishDirty(in: world)
            let app = App(world)
            world.engine.observe(by: app)
            let engine = world.engine
            async let answer = engine.sessions.answer(to: Self.request(in: world, for: .preview(isFresh: true)))
            let saveRequest = try await app.saveRequest()
            try engine.activities.update(id, to: .sample(line: 7), isEligible: true, by: Self.client)
            engine.activities.saveEnded(saveRequest, .saved)
            let prepared = try await answer
            #expect(prepared.answer == .activity(try .sample(line: 7)))
            world.effects.clear()
            engine.sessions.willSendAnswer(prepared, to: peer.device.id)
            engine.sessions.acknowledged(prepared, by: peer.device.id)
            #expect(world.effects.all.isEmpty)
        }
    }

    @Test("A flag that is set a thousand times is one change to show, and none of the advertisement")
    func flags() async throws {
        try await EngineWorld.runReady { world, _ in
            let id = try world.publish()
            let plan = world.engine.advertising.current
            world.effects.clear()
            for _ in 0..<1000 { try world.engine.activities.setNeedsSave(true, of: id, by: Self.client) }
            #expect(world.effects.all == ["changed \(id)"])
            #expect(world.engine.advertising.current.version == plan.version)
        }
    }
}
