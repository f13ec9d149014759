import AsyncSupport
import HandoffRadio

/// A promise that a radio does not keep, and how that was seen.
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

/// Throws ``RequirementFailure`` unless `body` throws a ``RadioError`` of one of those kinds.
func expect(_ codes: RadioError.Code..., thrownBy body: () async throws -> Void) async throws {
    do {
        try await body()
    } catch let error as RadioError where codes.contains(error.code) {
        return
    } catch {
        throw RequirementFailure("\(codes) was expected, and not: \(error)")
    }
    throw RequirementFailure("\(codes) was expected, and nothing was thrown")
}

/// Runs `body`, and ends it after five minutes: far longer than anything takes that works.
func withDeadline<Success: Sendable>(
    _ complaint: String,
    _ body: @escaping @Sendable () async throws -> Success
) async throws -> Success {
    try await withTimeout(.seconds(300), throwing: RequirementFailure(complaint), body: body)
}
