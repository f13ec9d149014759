import SystemPackage
import TestLimits
import Testing

@testable import HandoffDaemon

@Suite("A deadline is waited for", .endsWithin(minutes: 10))
struct AlarmServiceTests {
    @Test("without a descriptor for a clock it is asked for again, and nothing ends")
    func noDescriptor() async throws {
        try await AlarmService.sleeping { () throws(Errno) in throw .tooManyOpenFiles }
    }

    @Test("a sleep that was cancelled is a cancellation")
    func cancelled() async {
        await #expect(throws: CancellationError.self) {
            try await AlarmService.sleeping { () throws(Errno) in throw .canceled }
        }
    }
}
