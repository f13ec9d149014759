import AsyncSupport
import HandoffRadio

/// A requirement that a radio does not meet, with what was observed.
package struct RequirementFailure: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Throws ``RequirementFailure`` unless `condition` holds.
func expect(_ condition: Bool, _ otherwise: @autoclosure () -> String) throws {
    guard condition else { throw RequirementFailure(otherwise()) }
}

/// Throws ``RequirementFailure`` unless `body` throws a ``RadioError`` with one of those codes.
func expect(_ codes: RadioError.Code..., thrownBy body: () async throws -> Void) async throws {
    do {
        try await body()
    } catch let error as RadioError where codes.contains(error.code) {
        return
    } catch {
        throw RequirementFailure("\(codes) was expected, but the error was: \(error)")
    }
    throw RequirementFailure("\(codes) was expected, but no error was thrown")
}

/// Runs `body`, and cancels it after five minutes, which is far longer than any successful check takes.
func withDeadline<Success: Sendable>(
    _ message: String,
    _ body: @escaping @Sendable () async throws -> Success
) async throws -> Success {
    try await withTimeout(.seconds(300), throwing: RequirementFailure(message), body: body)
}
