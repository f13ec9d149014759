import AsyncSupport
import DBus
import HandoffApps
import HandoffCore
import HandoffModel
import HandoffRadio
import HandoffWire
import TestLimits
import Testing

@testable import HandoffDaemon

@Suite("The engine obeys the rules of the person", .endsWithin(minutes: 10))
struct EngineRulesTests {
    private static func rules(_ change: (inout Rules) throws -> Void) rethrows -> Rules {
        var rules = Rules()
        try change(&rules)
        return rules
    }

    private static let paused = rules { $0.pause(.untilResumed) }

    @Test("A pause ends advertising and scanning, hides what is nearby at once, and its end brings all of it back")
    func pause() async throws {
        try await EngineWorld.runReady { world, peer in
            let id = try world.publish()
            world.engine.nearby.receive(try peer.advertisementReport(of: "draw"))
            #expect(world.effort != .none)
            world.effects.clear()
            world.engine.rules.set(Self.paused)
            #expect(world.effects.all == ["nearby removed 1", "rules", "withheld"])
            #expect(world.effort == .none)
            #expect(world.engine.read { $0.origin.obstacle(to: id) } == .paused)
            world.engine.nearby.startLooking(for: ":1.2")
            #expect(world.effort == .none, "whoever looks")
            world.effects.clear()
            world.engine.rules.set(Rules())
            #expect(world.effects.all == ["nearby added 1", "rules", "withheld"])
            #expect(world.effort == .continuous)
        }
    }

    @Test("An entry cannot be fetched during a pause, nor one that a rule denies: the error says which")
    func entries() async throws {
        try await EngineWorld.runReady { world, peer in
            world.engine.nearby.receive(try peer.advertisementReport(of: "draw"))
            world.engine.rules.set(Self.paused)
            let pause = #expect(throws: HandoffError.self) { try world.engine.nearby.entry(1) }
            #expect(pause?.code == .paused)
            #expect(pause?.message.contains("handoffctl resume") == true)
            let later = #expect(throws: HandoffError.self) { try world.engine.nearby.entry(7) }
            #expect(later?.code == .paused)
            world.engine.rules.set(try Self.rules { try $0.set(.deny, about: .device(peer.device.id)) })
            let denial = #expect(throws: HandoffError.self) { try world.engine.nearby.entry(1) }
            #expect(denial?.code == .denied)
        }
    }

    @Test("Activities of a denied type are not shown, whether heard before the rule or after it")
    func types() async throws {
        try await EngineWorld.runReady { world, peer in
            world.engine.nearby.receive(try peer.advertisementReport(of: "draw"))
            world.effects.clear()
            let type = try ActivityType("org.example.draw")
            world.engine.rules.set(try Self.rules { try $0.set(.deny, about: .type(type)) })
            #expect(world.effects.all == ["nearby removed 1", "rules", "withheld"])
            world.engine.nearby.receive(try peer.advertisementReport(of: nil))
            world.effects.clear()
            world.engine.nearby.receive(try peer.advertisementReport(of: "draw", 5))
            #expect(world.effects.all == ["withheld"])
            let withheld = try #require(world.engine.rules.withheld.first)
            #expect(withheld.source == .nearby(2, of: peer.device.id))
            #expect(withheld.obstacle == .denied(.type(type)))
            world.engine.nearby.receive(try peer.advertisementReport(of: "edit", 6))
            #expect(world.effects.all.suffix(2) == ["nearby added 3", "withheld"])
        }
    }

    @Test("A circle update still reaches a denied device, and none begins during a pause")
    func circle() async throws {
        try await EngineWorld.runReady { world, peer in
            world.engine.nearby.receive(try peer.advertisementReport(of: "edit"))
            world.engine.rules.set(try Self.rules { try $0.set(.deny, about: .device(peer.device.id)) })
            #expect(world.engine.sessions.nextCircleUpdate()?.id == peer.device.id)
        }
        try await EngineWorld.runReady { world, peer in
            world.engine.nearby.receive(try peer.advertisementReport(of: "edit"))
            world.engine.rules.set(Self.paused)
            #expect(world.engine.sessions.nextCircleUpdate() == nil)
        }
    }

    @Test("A person who pairs during a pause is advertised and scanned for, and so is the end of that pairing")
    func pairing() async throws {
        try await EngineWorld.runReady { world, _ in
            world.engine.rules.set(Self.paused)
            #expect(world.effort == .none)
            var random = SystemRandomNumberGenerator()
            let token = PairingToken.random(using: &random)
            let listener = Engine.PairingListener { _, _ in
            } onReconciled: { _ in
            }
            world.engine.pairings.begin(token, at: .sample, listener)
            #expect(world.effort == .continuous)
            #expect(world.advertisement?.service == Engine.pairingService)
            world.engine.pairings.end()
            #expect(world.effort == .none)
            #expect(world.advertisement?.service != Engine.pairingService)
        }
    }

    @Test("An answer that was prepared before a rule is replaced by a refusal")
    func answers() async throws {
        try await EngineWorld.runReady { world, peer in
            let id = try world.publish()
            let activity = EngineSessions.PreparedAnswer(answer: .activity(try .sample()), activity: id)
            let stream = EngineSessions.PreparedAnswer(answer: .stream, activity: id)
            let check = { (prepared: EngineSessions.PreparedAnswer) -> Answer in
                world.engine.rules.checked(prepared, for: peer.device.id).answer
            }
            #expect(check(activity) == activity.answer)
            world.engine.rules.set(try Self.rules { try $0.set(.deny, about: .type(ActivityType("org.example.edit"))) })
            #expect(Self.code(check(activity)) == .noLongerCurrent)
            #expect(Self.code(check(stream)) == .noSuchActivity)
            #expect(world.engine.rules.refusal(to: peer.device.id) == nil)
            world.engine.rules.set(try Self.rules { try $0.set(.deny, about: .device(peer.device.id)) })
            #expect(Self.code(check(activity)) == .denied)
            #expect(world.engine.rules.refusal(to: peer.device.id) != nil)
            world.engine.rules.set(Self.rules { $0.isReceiveOnly = true })
            #expect(Self.code(check(activity)) == .noLongerCurrent)
        }
    }

    private static func code(_ answer: Answer) -> Refusal.Code? {
        if case .refusal(let refusal) = answer { refusal.code } else { nil }
    }

    @Test("A stream that is open ends with a rule that denies it, and only with such a one")
    func streams() async throws {
        try await EngineWorld.runReady { world, peer in
            let id = try world.publish()
            let (engine, device) = (world.engine, peer.device.id)
            let hasBegun = Promise<Void>()
            let others = try Self.rules { try $0.set(.deny, about: .type(ActivityType("org.example.other"))) }
            let denial = try Self.rules { try $0.set(.deny, about: .type(ActivityType("org.example.edit"))) }
            try await withThrowingTaskGroup(of: HandoffError?.self) { group in
                group.addTask {
                    do {
                        try await engine.rules.whilePermitted(id, for: device) {
                            hasBegun.fulfil(())
                            try await untilCancelled()
                        }
                        return nil
                    } catch let error as HandoffError {
                        return error
                    }
                }
                try await hasBegun.value()
                engine.rules.set(others)
                engine.rules.set(denial)
                for try await error in group { #expect(error?.code == .denied) }
            }
        }
    }

    @Test("A denied app is no target, and is still listed")
    func apps() async throws {
        try await EngineWorld.runReady { world, peer in
            let text = """
                [Desktop Entry]
                Type=Application
                Name=Editor
                DBusActivatable=true
                X-Handoff-ActivityTypes=org.example.edit
                """
            let app = try #require(try App(id: "org.example.Editor", DesktopEntry(text)))
            world.engine.desktop.setApps(AppRegistry(apps: [app]))
            world.engine.nearby.receive(try peer.advertisementReport(of: "edit"))
            let entry = try world.engine.nearby.entry(1)
            #expect(world.engine.nearby.launchTarget(of: entry).launchTarget == .app(app))
            world.effects.clear()
            world.engine.rules.set(try Self.rules { try $0.set(.deny, about: .app(DesktopFileID(app.id))) })
            #expect(world.effects.all == ["nearby changed 1", "rules"])
            #expect(world.engine.nearby.launchTarget(of: entry).launchTarget == .none)
            #expect(world.engine.desktop.installedApps.apps == [app])
        }
    }

    @Test("A pause with an end is over at its time, and the alarm is set for it")
    func end() async throws {
        try await EngineWorld.runReady { world, _ in
            let now = Moment.now
            world.engine.rules.set(Self.rules { $0.pause(.until(now.unixMicroseconds + 3_600_000_000)) })
            #expect(world.engine.rules.all.isPaused)
            let deadline = try #require(world.engine.deadline.current.value)
            #expect(deadline <= now.uptime + .seconds(3601))
            // A time that has passed, as after a change of the clock.
            world.engine.change { state, now in
                var rules = Rules()
                rules.pause(.until(now.unixMicroseconds - 1))
                state.setRules(rules, at: now)
            }
            #expect(!world.engine.rules.all.isPaused)
            #expect(world.effects.all.suffix(2) == ["rules", "rules"])
        }
    }
}
