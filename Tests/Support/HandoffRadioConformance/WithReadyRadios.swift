package import HandoffRadio
import TestRuns

/// Runs radios while `body` runs, which begins once all of them are ready.
///
/// - Throws: `ServiceFailure` if a radio fails, else the error of `body`.
package func withReadyRadios<R: Radio, Success: Sendable>(
    _ radios: [R],
    _ body: @escaping @Sendable () async throws -> Success
) async throws -> Success {
    let services: [@Sendable () async throws -> Void] = radios.map { radio in { try await radio.run() } }
    return try await withServices(services) {
        for radio in radios { try await radio.becomesReady() }
        return try await body()
    }
}
