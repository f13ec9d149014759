import AsyncSupport
import HandoffCore
import ServiceLifecycle

/// Releases code that only a busier time needed, after the daemon has started or has changed how much it scans.
struct CodeReleaseService: Service {
    /// How much the daemon scans, which changes with how busy it is.
    let plans: CurrentValue<Engine.ScanningPlan>
    var release: @Sendable () -> Void = ProcessMemory.releaseCode
    var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

    /// How long the plan has not changed when code is released.
    ///
    /// After somebody has come back, it changes once more when `ScanPolicy.arrival` is over.
    private static let settling = ScanPolicy.arrival + .seconds(5)

    func run() async throws {
        try await ignoringCancellation {
            try await cancelWhenGracefulShutdown {
                var plan = plans.current
                while true {
                    plan = try await waitUntilUnchanged(since: plan)
                    release()
                    plan = try await plans.changed(since: plan)
                }
            }
        }
    }

    /// Waits until the plan has not changed for ``settling``, and returns it.
    private func waitUntilUnchanged(
        since first: CurrentValue<Engine.ScanningPlan>.Snapshot
    ) async throws -> CurrentValue<Engine.ScanningPlan>.Snapshot {
        let (plans, sleep) = (plans, sleep)
        var plan = first
        while true {
            let known = plan
            plan = try await race {
                try await plans.changed(since: known)
            } _: {
                try await sleep(Self.settling)
                return known
            }
            if plan.version == known.version { return plan }
        }
    }
}
