import HandoffRadio
import HandoffRadioSimulated
import TestRuns

/// Runs radios of a test's own for as long as `body` runs, from when all of them are ready.
///
/// - Throws: `ServiceFailure` when a radio does not run; else what `body` throws.
func withRadios<Success: Sendable>(
    _ radios: [SimulatedRadio],
    _ body: @escaping @Sendable () async throws -> Success
) async throws -> Success {
    let services: [@Sendable () async throws -> Void] = radios.map { radio in { try await radio.run() } }
    return try await withServices(services) {
        for radio in radios {
            await awaiting("the radio \(radio.name)") {
                for await case .ready in radio.states() { break }
            }
        }
        return try await body()
    }
}
