import TestRuns
package import Testing

/// Gives up each test of a suite that has not ended in time, and says what its tasks waited for.
///
/// The time begins when the test is let in, by a gate that bounds what runs at once. A test that has no end even when it is
/// cancelled ends the whole run, for it would hang otherwise.
package struct EndsWithin: SuiteTrait, TestTrait, TestScoping {
    fileprivate let limit: Duration
    fileprivate let instances: Int

    package var isRecursive: Bool { true }

    @concurrent package func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        // For a suite as such, and where this is not the innermost: the outer scope has applied the inner one's values.
        guard testCase != nil, TestRun.current == nil else { return try await function() }
        let innermost = test.traits.compactMap { $0 as? EndsWithin }.last ?? self
        try await TestGate.shared.letIn(TestGate.Need(instances: innermost.instances)) {
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
    /// Each test ends within this time after it was let in: many times what it needs on the slowest machine.
    ///
    /// - Parameters:
    ///   - minutes: the time.
    ///   - instances: how many inotify instances the programs that each test starts take at once: one for each bus, and one
    ///     for each daemon.
    package static func endsWithin(minutes: Int, instances: Int = 0) -> Self {
        EndsWithin(limit: .seconds(60 * minutes), instances: instances)
    }
}
