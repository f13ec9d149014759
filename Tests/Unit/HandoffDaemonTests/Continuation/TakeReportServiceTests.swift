import AsyncSupport
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffWire
import Logging
import TestLimits
import TestRuns
import Testing

@testable import HandoffDaemon

@Suite("The outcome of a take reaches its origin in a session of its own", .endsWithin(minutes: 10))
struct TakeReportServiceTests {
    /// A radio over which the peer answers everything with `answer`.
    private static func radio(_ answer: Answer, of peer: Peer, in world: EngineWorld) throws -> AnsweringRadio {
        let identity = world.engine.identity
        let trial = try SessionTrial(peer.keys, devices: [identity.keys.publicKeys])
        return AnsweringRadio(trial: trial, answer: answer)
    }

    /// Runs `body` with the service, after a take from `peer` has ended and its session was lost.
    private static func run(
        _ answer: Answer,
        _ body: @escaping @Sendable (EngineWorld, AnsweringRadio, TakeID) async throws -> Void
    ) async throws {
        try await EngineWorld.runReady { world, peer in
            let radio = try radio(answer, of: peer, in: world)
            let client = SessionClient(engine: world.engine, radio: radio)
            let service = TakeReportService(
                client: client,
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            )
            let take = TakeID.random()
            world.engine.takes.begin(take, with: peer.device.id)
            world.engine.takes.sessionEnded(take, .lost)
            world.engine.nearby.receive(try peer.advertisementReport(of: "edit"))
            try await withServices([{ try await client.run() }, { try await service.run() }]) {
                world.engine.takes.end(take, .continued(.app))
                try await body(world, radio, take)
            }
        }
    }

    @Test("A report that the origin has noted is not repeated")
    func noted() async throws {
        try await Self.run(.noted) { world, radio, _ in
            var changes = world.engine.takeChanges.current
            while world.engine.read({ $0.takes.count }) > 0 {
                changes = try await awaiting("the origin's answer") {
                    try await world.engine.takeChanges.changed(since: changes)
                }
            }
            var acknowledged = radio.acknowledged.current
            while !acknowledged.value {
                acknowledged = try await awaiting("the acknowledgement of the answer") {
                    try await radio.acknowledged.changed(since: acknowledged)
                }
            }
        }
    }

    @Test("A report that the origin refuses is not repeated either")
    func refused() async throws {
        try await Self.run(.refusal(Refusal(.notUnderstood, "older"))) { world, _, _ in
            var changes = world.engine.takeChanges.current
            while world.engine.read({ $0.takes.count }) > 0 {
                changes = try await awaiting("the origin's refusal") {
                    try await world.engine.takeChanges.changed(since: changes)
                }
            }
        }
    }

    @Test("A report that a busy origin refuses is kept")
    func busy() async throws {
        try await Self.run(.refusal(Refusal(.busy, "later"))) { world, radio, _ in
            var acknowledged = radio.acknowledged.current
            while !acknowledged.value {
                acknowledged = try await awaiting("the refusal") {
                    try await radio.acknowledged.changed(since: acknowledged)
                }
            }
            #expect(world.engine.read { $0.takes.count } == 1)
        }
    }
}
