import AsyncSupport
import DBus
import HandoffCore
import Logging
import TestLimits
import Testing

@testable import HandoffDaemon

@Suite("The scan of a daemon", .endsWithin(minutes: 10))
struct ScanningServiceTests {
    /// More than enough: without the check, nearly every round begins a second scan.
    private static let rounds = 50

    @Test("A daemon that is stopped while somebody looks ends its scan, and begins no other one")
    func stopped() async throws {
        try await EngineWorld.runReady { world, _ in
            world.engine.nearby.startLooking(for: ":1.1")
            #expect(world.effort == .continuous)
            for _ in 1...Self.rounds {
                let radio = RefusingRadio()
                radio.refuses.set(false)
                let service = ScanningService(
                    engine: world.engine,
                    radio: radio,
                    logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
                )
                // The end of the body cancels the service, and awaits its end.
                try await withBackgroundTasks([{ try await service.run() }]) {
                    _ = try await radio.scans.changed(since: radio.scans.initial)
                }
                #expect(radio.scans.value == 1)
            }
        }
    }
}
