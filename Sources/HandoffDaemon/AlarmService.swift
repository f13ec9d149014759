import HandoffCore
import ServiceLifecycle

/// Wakes the engine when one of its deadlines has come, and never otherwise.
struct AlarmService: Service {
    let engine: Engine

    func run() async throws {
        try await endingQuietly {
            try await cancelWhenGracefulShutdown { try await wake() }
        }
    }

    private func wake() async throws {
        let engine = engine
        var alarm = engine.deadline.current
        while true {
            guard let deadline = alarm.value, deadline > Moment.now.uptime else {
                if alarm.value != nil { engine.tick() }
                alarm = try await engine.deadline.changed(since: alarm)
                continue
            }
            let set = alarm
            alarm = try await first {
                try await engine.deadline.changed(since: set)
            } or: {
                try await Task.sleep(for: deadline - Moment.now.uptime)
                return set
            }
        }
    }
}
