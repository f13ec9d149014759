import AsyncSupport
import DBus
import Epoll
import HandoffAttackModel
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffRadio
import TestLimits
import TestRuns
import Testing

@testable import HandoffDaemon

@Suite("Apps do not keep the radio from the user", .endsWithin(minutes: 10))
struct AppDialTests {
    private static let gone = RadioAddress("C0:00:00:00:00:01/random")
    private static let other = RadioAddress("C0:00:00:00:00:02/random")
    private static let third = RadioAddress("C0:00:00:00:00:03/random")

    @Test("One dial at a time is made for apps; updates are dialled besides, and the dials of the user go first")
    func starvation() async throws {
        try await EngineWorld.runReady { world, gone in
            let radio = DialRecordingRadio()
            let client = SessionClient(engine: world.engine, radio: radio)
            world.engine.nearby.receive(try gone.advertisementReport(of: "edit", from: Self.gone))
            let (phone, tablet) = (try Peer("phone"), try Peer("tablet"))
            try await Reactor.withReactor { reactor in
                let opener = StreamOpener(
                    client: client,
                    apps: AppStreams(on: reactor),
                    reactor: reactor,
                    logger: world.engine.logger
                )
                let continuation = ContinuationID(device: gone.device.id, activity: 7)
                let asking = [":1.5", ":1.5", ":1.6"].map { (caller: BusName) -> @Sendable () async throws -> Void in
                    { _ = try? await opener.openStream(continuation, for: caller, .apps) }
                }
                try await withServices([{ try await client.run() }]) {
                    try await withBackgroundTasks(asking) {
                        try await radio.dials.wait(for: "the dial for an app") { $0 == [Self.gone] }
                        try await withBackgroundTasks([Self.dial(phone, at: Self.other, .deferrable, by: client)]) {
                            try await radio.dials.wait(for: "the dial of an update") { $0.contains(Self.other) }
                            try await withBackgroundTasks([Self.dial(tablet, at: Self.third, .awaited, by: client)]) {
                                try await radio.ends.wait(for: "the interruption") { $0.contains(Self.gone) }
                            }
                        }
                    }
                }
                let dials = radio.dials.value
                #expect(dials.prefix { $0 != Self.third }.count { $0 == Self.gone } == 1)
                measured(
                    .dialsForApps,
                    onModel: "\(try await Self.updatesOfTheDraft()) of 1 updates of other devices is dialled",
                    here: "\(dials.count { $0 == Self.other } > 0 ? 1 : 0) of 1"
                )
            }
        }
    }

    @Test("A connection that asks for many streams does not keep those of another one waiting for all of them")
    func fairness() async throws {
        let turns = AppDialTurns()
        let order = CurrentValue<[BusName]>([])
        let begins = (0..<4).map { _ in Promise<Void>() }
        let isLast = Promise<Void>()
        func ask(_ client: BusName, _ number: Int) -> @Sendable () async throws -> Void {
            {
                try await turns.withTurn(of: client) { endTurn in
                    begins[number].fulfil(())
                    try await isLast.value()
                    order.modify { $0.append(client) }
                    endTurn()
                    try await untilCancelled()
                }
            }
        }
        let first = ask(":1.1", 0)
        try await withBackgroundTasks([first]) {
            try await awaiting("the first turn") { try await begins[0].value() }
            try await withBackgroundTasks([ask(":1.1", 1), ask(":1.1", 2), ask(":1.2", 3)]) {
                isLast.fulfil(())
                try await awaiting("all turns") {
                    var seen = order.current
                    while seen.value.count < 4 { seen = try await order.changed(since: seen) }
                }
            }
        }
        // The other connection is second or third: it waits for one turn of each in the line before it.
        #expect(order.value.prefix(3).contains(":1.2"), "\(order.value)")
    }

    /// How many updates of another device the draft dials while an app has two calls for a device that has gone.
    private static func updatesOfTheDraft() async throws -> Int {
        let (gone, other) = (DeviceID(number: 1), DeviceID(number: 2))
        let precedence = DialPrecedence()
        let calls = [precedence.begin(to: gone), precedence.begin(to: gone)]
        calls[0].end()
        try await awaiting("the precedence of an app") { try await precedence.waitUntilPreceded(other) }
        return 0
    }

    private static func dial(
        _ peer: Peer,
        at address: RadioAddress,
        _ urgency: DialUrgency,
        by client: SessionClient
    ) -> @Sendable () async throws -> Void {
        let target = peer.target(at: address)
        return { let _: Int? = try? await client.withChannel(to: target, urgency) { _, _ in } }
    }
}
