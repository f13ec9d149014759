import SystemPackage
import Testing
import TestLimits

@testable import HandoffDaemon

@Suite("Waiting for a change of the clock", .endsWithin(minutes: 10))
struct AlarmServiceTests {
    @Test("A wait without a timer descriptor ends without an error, and is tried again")
    func noDescriptor() async throws {
        try await AlarmService.waiting { () throws(Errno) in throw .tooManyOpenFiles }
    }

    @Test("A wait that was cancelled throws a cancellation error")
    func cancelled() async {
        await #expect(throws: CancellationError.self) {
            try await AlarmService.waiting { () throws(Errno) in throw .canceled }
        }
    }
}
