import TestRuns
package import Testing

/// Fails each test of a suite that does not end in time, with a report of what its tasks waited for.
///
/// The time begins when the test is admitted by a gate that limits what runs concurrently. A test that does not end
/// even when it is cancelled ends the whole run, which would otherwise never end.
package struct EndsWithin: SuiteTrait, TestTrait, TestScoping {
    fileprivate let limit: Duration
    fileprivate let instances: Int
    fileprivate let places: Int

    package var isRecursive: Bool { true }

    @concurrent package func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        // For a suite, and for any scope but the innermost: the outer scope has applied the values of the inner one.
        guard testCase != nil, TestRun.current == nil else { return try await function() }
        let innermost = test.traits.compactMap { $0 as? EndsWithin }.last ?? self
        try await TestGate.shared.letIn(TestGate.Need(tests: innermost.places, instances: innermost.instances)) {
            let run = TestRun(name: test.displayName ?? test.name, maximumInstances: innermost.instances)
            try await innermost.supervise(run, function)
        }
    }

    private func supervise(_ run: TestRun, _ function: @concurrent @Sendable () async throws -> Void) async throws {
        defer { run.end() }
        let expiry = TestMonitor.shared.watch(run, for: limit)
        try await withoutActuallyEscaping(function) { function in
            try await TestRun.$current.withValue(run) {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    defer { group.cancelAll() }
                    group.addTask { try await function() }
                    group.addTask {
                        for await report in expiry { Issue.record("\(report)") }
                    }
                    try await group.next()
                }
            }
        }
    }
}

extension Trait where Self == EndsWithin {
    /// Each test ends within this time after its admission, which is many times what it needs on the slowest machine.
    ///
    /// - Parameters:
    ///   - minutes: the time limit.
    ///   - instances: how many inotify instances the programs of each test use at the same time: one for each bus and
    ///     one for each daemon.
    ///   - places: for how many concurrent tests each test counts, of the 24 that there may be. It is more than one
    ///     where the code under test has time limits that must not pass while the test waits for a processor.
    package static func endsWithin(minutes: Int, instances: Int = 0, places: Int = 1) -> Self {
        EndsWithin(limit: .seconds(60 * minutes), instances: instances, places: places)
    }
}
