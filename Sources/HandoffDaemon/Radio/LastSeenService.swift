import AsyncSupport
import ServiceLifecycle

/// Keeps when trusted devices were heard last, each at most once an hour.
struct LastSeenService: Service {
    let engine: Engine

    func run() async throws {
        try await ignoringCancellation {
            try await cancelWhenGracefulShutdown {
                var heard = engine.deviceUpdates.initial
                while true {
                    heard = try await engine.deviceUpdates.changed(since: heard)
                    try await engine.trust.persistLastSeen()
                }
            }
        }
    }
}
