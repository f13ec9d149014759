import AsyncSupport
import Synchronization
import TestRuns
import Testing

@testable import TestLimits

@Suite("Reports of tests that do not end in time", .endsWithin(minutes: 10))
struct TestMonitorTests {
    @Test("The report has what each task waits for, at which line, and in which task")
    func reportNamesWaits() async throws {
        let printed = Mutex<[String]>([])
        let monitor = TestMonitor { report in printed.withLock { $0.append(report) } }
        let run = TestRun(name: "a stuck test", maximumInstances: 0)
        defer { run.end() }
        let reports = monitor.watch(run, for: .zero)
        let report = await TestRun.$current.withValue(run) {
            await awaiting("an answer that never comes", at: "Stuck.swift", line: 7) {
                for await report in reports { return report }
                return ""
            }
        }
        #expect(report.contains("a stuck test"))
        #expect(report.contains("an answer that never comes"))
        #expect(report.contains("at Stuck.swift:7"))
        #expect(report.contains("in task "))
        #expect(printed.withLock(\.self) == [report])
    }

    @Test("A wait that has ended is not in the report")
    func finishedWaitsAreForgotten() async {
        let run = TestRun(name: "a test", maximumInstances: 0)
        await TestRun.$current.withValue(run) { await awaiting("an answer") {} }
        #expect(run.waits.isEmpty)
    }
}

@Suite("A gate limits the tests that run at once", .endsWithin(minutes: 10))
struct TestGateTests {
    @Test("No more tests are admitted than there is capacity for, and all of them in the end")
    func capacityHolds() async {
        let gate = TestGate(TestGate.Need(tests: 3, instances: 5))
        let inside = Inside()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                let need = TestGate.Need(instances: number % 6)
                group.addTask {
                    await gate.letIn(need) {
                        inside.enter(need)
                        await Task.yield()
                        inside.leave(need)
                    }
                }
            }
        }
        #expect(inside.left == 200)
    }

    /// Counts the tests and instances that have been admitted.
    private final class Inside: Sendable {
        private let state = Mutex((tests: 0, instances: 0, left: 0))

        var left: Int { state.withLock(\.left) }

        func enter(_ need: TestGate.Need) {
            state.withLock { state in
                state.tests += 1
                state.instances += need.instances
                #expect(state.tests <= 3 && state.instances <= 5)
            }
        }

        func leave(_ need: TestGate.Need) {
            state.withLock { state in
                state.tests -= 1
                state.instances -= need.instances
                state.left += 1
            }
        }
    }

    @Test("A test that starts more programs than its suite declares fails")
    func tooManyInstances() async {
        let run = TestRun(name: "a test", maximumInstances: 1)
        await TestRun.$current.withValue(run) {
            await #expect(throws: TooManyInstances.self) {
                try await takingInstances { try await takingInstances {} }
            }
            await #expect(throws: Never.self) { try await takingInstances {} }
        }
    }
}

@Suite("Services run beside a test", .endsWithin(minutes: 10))
struct ServicesTests {
    struct Broken: Error {}

    @Test("A service that fails ends the test with the service's error")
    func failureIsTold() async {
        let failure = await #expect(throws: ServiceFailure.self) {
            try await withServices([{ throw Broken() }]) { try await Self.waitForCancellation() }
        }
        #expect(failure?.description.contains("Broken") == true)
    }

    @Test("The error of a service that fails after the test is reported together with that of the test")
    func bothFailuresAreTold() async {
        struct Other: Error {}
        let service: @Sendable () async throws -> Void = {
            do { try await Self.waitForCancellation() } catch { throw Broken() }
        }
        let failure = await #expect(throws: ServiceFailure.self) { try await withServices([service]) { throw Other() } }
        #expect(failure?.description.contains("Broken") == true)
        #expect(failure?.description.contains("Other") == true)
    }

    @Test("A service that ends by itself is not a failure, and the others end with the test")
    func endingIsNoFailure() async throws {
        let result = try await withServices([{}, { try await Self.waitForCancellation() }]) { 7 }
        #expect(result == 7)
    }

    /// Waits with a result of `Void`, which the expectations need: `untilCancelled()` returns `Never`.
    private static func waitForCancellation() async throws {
        try await untilCancelled()
    }
}
