import AsyncSupport

/// Moves the advertising keys forward once a day, and at the start, so that older ones are on no disk and in no memory.
struct KeyForwardingService: Service {
    let engine: Engine

    func run() async throws {
        var day = engine.keptDay.initial
        while true {
            try await engine.trust.moveKeysForward()
            day = try await engine.keptDay.changed(since: day)
        }
    }
}
