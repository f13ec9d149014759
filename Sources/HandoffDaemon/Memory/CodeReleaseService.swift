import AsyncSupport
import HandoffCore
import ServiceLifecycle

/// Releases code that only a busier time needed, after the daemon has started or has changed how much it scans.
struct CodeReleaseService: Service {
    /// How much the daemon scans, which changes with how busy it is.
    let plans: CurrentValue<Engine.ScanningPlan>
    var release: @Sendable () -> Void = ProcessMemory.releaseCode
    var clock: any Clock<Duration> = ContinuousClock()

    /// How long the plan has not changed when code is released.
    ///
    /// After somebody has come back, it changes once more when `ScanPolicy.arrival` is over.
    private static let settling = ScanPolicy.arrival + .seconds(5)

    func run() async throws {
        try await ignoringCancellation {
            try await cancelWhenGracefulShutdown {
                var plan = plans.current
                while true {
                    var settling = Backoff(first: Self.settling, longest: Self.settling)
                    let next = try await settling.wait(orUntil: plans, changesSince: plan, clock: clock)
                    if next.version == plan.version {
                        release()
                        plan = try await plans.changed(since: plan)
                    } else {
                        plan = next
                    }
                }
            }
        }
    }
}
