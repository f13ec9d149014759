import AsyncSupport
import DBus
import Epoll
import HandoffRadio
import Logging
import TestLimits
import Testing

@testable import HandoffDaemon

@Suite("What a radio refuses is an advisory until it succeeds", .endsWithin(minutes: 10))
struct RadioDutyTests {
    @Test("A refused advertisement, scan and listener are each advised, and no more once they succeed")
    func refused() async throws {
        try await EngineWorld.runReady { world, _ in
            _ = try world.publish()
            let radio = RefusingRadio()
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let engine = world.engine
            try await Reactor.withReactor { reactor in
                let services: [any Service] = [
                    AdvertisingService(engine: engine, radio: radio, logger: logger),
                    ScanningService(engine: engine, radio: radio, logger: logger),
                    ListeningService(
                        engine: engine,
                        radio: radio,
                        apps: AppStreams(on: reactor),
                        reactor: reactor,
                        logger: logger
                    ),
                ]
                try await withBackgroundTasks(services.map { service in { try await service.run() } }) {
                    // Nothing is advertised without a listener, so that only one of the two may have been refused.
                    try await world.untilAdvised { $0.isSuperset(of: ["not-listening", "not-scanning"]) }
                    radio.refuses.set(false)
                    try await world.untilAdvised(\.isEmpty)
                }
            }
        }
    }

    @Test("A refused advertisement says what the others do not see, and why")
    func advertisement() async throws {
        try await EngineWorld.runReady { world, _ in
            let error = RadioError(.advertisingRefused, "Update BlueZ.")
            world.engine.radio.failed(.advertising, error)
            #expect(world.engine.radio.advisories.map(\.name) == ["not-advertising"])
            #expect(world.engine.radio.advisories.allSatisfy { $0.message.contains("Update BlueZ.") })
            #expect(world.effects.all == ["radio"])
            world.engine.radio.failed(.advertising, error)
            #expect(world.effects.all == ["radio"], "the same refusal is told once")
            world.engine.radio.succeeded(.advertising)
            #expect(world.engine.radio.advisories.isEmpty)
            world.engine.radio.succeeded(.advertising)
            #expect(world.effects.all == ["radio", "radio"])
        }
    }

    @Test("A radio that cannot be used at all refuses nothing: its state says why")
    func unavailable() async throws {
        try await EngineWorld.runReady { world, _ in
            world.engine.radio.failed(.scanning, RadioError(.scanningRefused, "no"))
            world.engine.radio.radioChanged(to: .unavailable(RadioError(.poweredOff, "off")))
            #expect(world.engine.radio.advisories.isEmpty)
        }
    }

    @Test("Activities of a session that nobody uses are said to be withheld, as long as there is one")
    func withheld() async throws {
        try await EngineWorld.runReady { world, _ in
            world.engine.activities.setAway(true)
            #expect(world.engine.activities.advisories.isEmpty)
            let id = try world.publish()
            #expect(world.engine.activities.advisories.map(\.name) == ["withheld"])
            try world.engine.activities.invalidate(id, by: ":1.1")
            #expect(world.engine.activities.advisories.isEmpty)
        }
    }
}

extension EngineWorld {
    /// Waits until the names of the radio's advisories are as `expected` says.
    fileprivate func untilAdvised(_ expected: (Set<String>) -> Bool) async throws {
        var seen = effects.changes.current
        while !expected(Set(engine.radio.advisories.map(\.name))) {
            seen = try await effects.changes.changed(since: seen)
        }
    }
}
