import AsyncSupport
import TestLimits
import Testing

@Suite("A wait for cancellation lasts until the task is cancelled", .endsWithin(minutes: 5))
struct UntilCancelledTests {
    @Test("The wait ends when the task is cancelled, before it begins or while it lasts", arguments: [true, false])
    func itLastsUntilCancelled(_ isCancelledFirst: Bool) {
        let executor = ManualExecutor()
        let log = EventLog<String>()
        let waiter = executor.start {
            do { try await untilCancelled() } catch { log.append("\(error)") }
        }
        if !isCancelledFirst { executor.runUntilIdle() }
        #expect(log.events.isEmpty)
        waiter.cancel()
        executor.runUntilIdle()
        #expect(log.events == ["CancellationError()"])
    }
}
