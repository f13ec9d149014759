import TestLimits
import Testing

@testable import HandoffDaemon

@Suite("The life of a service", .endsWithin(minutes: 10))
struct ServiceLifeTests {
    private struct Reason: Error {}

    @Test("a service that is cancelled ends quietly, and one that fails does not")
    func quietEnd() async throws {
        try await ignoringCancellation { throw CancellationError() }
        await #expect(throws: Reason.self) { try await ignoringCancellation { throw Reason() } }
    }
}
