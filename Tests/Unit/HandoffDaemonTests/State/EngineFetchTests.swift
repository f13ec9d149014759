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

    /// A request for `org.example.NAME` with the tag of the current activity.
    private static func request(_ name: String = "edit", in world: EngineWorld) throws -> FetchRequest {
        let tag = try #require(world.engine.read { $0.origin.current?.tag })
        return FetchRequest(typeHash: try ActivityType("org.example.\(name)").hash, tag: tag)
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

        func deliver(_ stream: Engine.IncomingStream) async -> Bool { false }

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

    @Test("The device that continues is reported after its acknowledgement, by name, and only for an activity")
    func acknowledgement() async throws {
        try await EngineWorld.runReady { world, peer in
            let id = try world.publish()
            world.effects.clear()
            let prepared = try await world.engine.sessions.answer(to: Self.request(in: world))
            world.engine.sessions.didSendAnswer(prepared, to: peer.device.id)
            #expect(world.effects.all == ["fetched \(id) 1"])
            world.engine.sessions.acknowledged(prepared, by: peer.device.id)
            #expect(world.effects.all == ["fetched \(id) 1", "continued \(id) by laptop"])

            let refused = try await world.engine.sessions.answer(to: Self.request("draw", in: world))
            world.engine.sessions.didSendAnswer(refused, to: peer.device.id)
            world.engine.sessions.acknowledged(refused, by: peer.device.id)
            try world.engine.activities.invalidate(id, by: Self.client)
            world.effects.clear()
            world.engine.sessions.acknowledged(prepared, by: peer.device.id)
            #expect(world.effects.all.isEmpty, "the activity was invalidated")
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
