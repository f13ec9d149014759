/// How long to wait before the next try of something that failed: one second, then twice as long each time, up to a
/// minute.
struct Backoff: Sendable {
    private static let shortest = Duration.seconds(1)
    private static let longest = Duration.seconds(60)

    private var next = shortest

    /// Begins anew, after a success.
    mutating func reset() {
        next = Self.shortest
    }

    /// Waits until the plan has changed, at most for the time that is due.
    mutating func wait<Plan>(
        for plans: Latest<Plan>,
        after plan: Latest<Plan>.Version
    ) async throws -> Latest<Plan>.Version {
        let delay = next
        next = min(next * 2, Self.longest)
        return try await first {
            try await plans.changed(since: plan)
        } or: {
            try await Task.sleep(for: delay)
            return plans.current
        }
    }

    /// Waits for the time that is due.
    mutating func wait() async throws {
        let delay = next
        next = min(next * 2, Self.longest)
        try await Task.sleep(for: delay)
    }
}
