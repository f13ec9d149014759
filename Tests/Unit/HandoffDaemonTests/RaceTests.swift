import TestLimits
import Testing

@testable import HandoffDaemon

@Suite("The end of a service", .endsWithin(minutes: 10))
struct ServiceLifeTests {
    private struct Reason: Error {}

    @Test("A service that is cancelled ends without an error, and one that fails throws its error")
    func quietEnd() async throws {
        try await ignoringCancellation { throw CancellationError() }
        await #expect(throws: Reason.self) { try await ignoringCancellation { throw Reason() } }
    }
}
