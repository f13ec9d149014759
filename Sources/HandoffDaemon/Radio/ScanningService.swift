import AsyncSupport
import HandoffCore
import HandoffRadio
import Logging

/// Scans as much as the engine plans, and reports every advertisement to it.
struct ScanningService<R: Radio>: Service {
    let engine: Engine
    let radio: R
    let logger: Logger

    func run() async throws {
        try await scan()
    }

    private func scan() async throws {
        let plans = engine.scanning
        var plan = plans.current
        var retry = Backoff(first: .seconds(1), longest: .seconds(60))
        while true {
            // A cancelled scan may end as one does whose reports have ended, without an error.
            try Task.checkCancellation()
            do {
                switch plan.value.effort {
                case .none:
                    plan = try await plans.changed(since: plan)
                case .continuous:
                    try await listen(until: plan, within: nil)
                    retry.reset()
                    plan = plans.current
                case .windows(let rest):
                    logger.debug("listening for a while", metadata: ["event": "scan.window"])
                    try await listen(until: plan, within: ScanPolicy.window)
                    retry.reset()
                    plan = try await pause(plan, for: rest)
                }
            } catch let error as RadioError {
                engine.radio.failed(.scanning, error)
                logger.debug("cannot scan: \(error.message)", metadata: ["code": "\(error.code)"])
                plan = try await retry.wait(orUntil: plans, changesSince: plan)
            }
        }
    }

    /// Scans until the plan changes or the window is over.
    private func listen(until plan: CurrentValue<Engine.ScanningPlan>.Snapshot, within window: Duration?) async throws {
        let engine = engine
        try await radio.withScan(for: plan.value.services) { reports in
            engine.radio.succeeded(.scanning)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for await report in reports { engine.nearby.receive(report) }
                }
                group.addTask { _ = try await engine.scanning.changed(since: plan) }
                if let window { group.addTask { try await sleep(for: window) } }
                defer { group.cancelAll() }
                try await group.next()
            }
        }
    }

    /// Waits until the pause is over or the plan changes.
    private func pause(
        _ plan: CurrentValue<Engine.ScanningPlan>.Snapshot,
        for rest: Duration
    ) async throws -> CurrentValue<Engine.ScanningPlan>.Snapshot {
        let plans = engine.scanning
        return try await race {
            try await plans.changed(since: plan)
        } _: {
            try await sleep(for: rest)
            return plans.current
        }
    }
}
