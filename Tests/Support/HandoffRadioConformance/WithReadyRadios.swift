package import HandoffRadio
import TestRuns

/// Runs radios for as long as `body` runs, from when all of them are ready.
///
/// - Throws: `ServiceFailure` when a radio does not run; else what `body` throws.
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
