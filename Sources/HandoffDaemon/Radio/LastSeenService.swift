import AsyncSupport

/// Keeps when trusted devices were heard last, each at most once an hour.
struct LastSeenService: Service {
    let engine: Engine

    func run() async throws {
        var heard = engine.deviceUpdates.initial
        while true {
            heard = try await engine.deviceUpdates.changed(since: heard)
            try await engine.trust.persistLastSeen()
        }
    }
}
