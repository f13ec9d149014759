import AsyncSupport
import DBus

extension Connection {
    /// The first value of `condition`, which is evaluated now and after each signal that matches `rule`; signals that
    /// arrive while it is evaluated are one.
    func first<Value: Sendable>(
        after rule: MatchRule,
        _ condition: @escaping @Sendable () async throws -> Value?
    ) async throws -> Value {
        try await withSignals(rule) { signals in
            let (occasions, newOccasion) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
            newOccasion.yield()
            let forwarding: @Sendable () async throws -> Void = {
                for try await _ in signals { newOccasion.yield() }
            }
            return try await withBackgroundTasks([forwarding]) {
                for await _ in occasions {
                    if let value = try await condition() { return value }
                }
                throw CancellationError()
            }
        }
    }
}
