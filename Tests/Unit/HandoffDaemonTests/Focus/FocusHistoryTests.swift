import Testing
import TestLimits

@testable import HandoffDaemon

@Suite("Which owners of activities had the focus", .endsWithin(minutes: 10))
struct FocusHistoryTests {
    private var history = FocusHistory<String>()
    /// The parent of each process: two shells, each in a terminal (10 and 20), with a script (12) in the first one.
    private var parents: [UInt32: UInt32] = [11: 10, 12: 11, 21: 20]

    private mutating func focus(
        _ root: UInt32,
        after passed: [UInt32] = [],
        _ processes: [String: UInt32] = ["script": 12, "shell": 21]
    ) -> [Set<String>] {
        let parents = parents
        let result = history.focus(root, after: passed, among: processes) { process, root in
            sequence(first: process) { parents[$0] }.contains(root)
        }
        return [result.present, result.windowless]
    }

    @Test("What is below the process with the focus has it, and what was so before had it")
    mutating func turns() {
        #expect(focus(10) == [["script"], ["shell"]])
        #expect(focus(20) == [["shell"], []])
        #expect(focus(30) == [[], []], "an app without activities has the focus")
        #expect(focus(12) == [["script"], []], "it has a window of its own as well")
    }

    @Test("What had the focus only for a moment, before the next one was applied, had it")
    mutating func moments() {
        #expect(focus(30, after: [10]) == [[], ["shell"]])
        #expect(focus(20, after: [20, 10]) == [["shell"], []])
        #expect(focus(30, after: [10, 20], [:]) == [[], []])
        #expect(focus(30) == [[], []], "also of owners that come later")
    }

    @Test("A program whose terminal was closed counts as one that never had the focus")
    mutating func orphan() {
        #expect(focus(10) == [["script"], ["shell"]])
        #expect(focus(20) == [["shell"], []])
        parents[11] = nil
        parents[12] = 1
        #expect(focus(20) == [["shell"], ["script"]])
        parents[12] = 10
        #expect(focus(20) == [["shell"], ["script"]], "another process with that number is another one")
    }

    @Test("A program with a window of its own had the focus, whatever becomes of the terminal that started it")
    mutating func ownWindow() {
        #expect(focus(10) == [["script"], ["shell"]])
        #expect(focus(12) == [["script"], ["shell"]])
        parents[12] = 1
        #expect(focus(20) == [["shell"], []])
    }

    @Test("An owner that comes later had the focus if a process that it is below had it")
    mutating func later() {
        #expect(focus(20, [:]) == [[], []])
        #expect(focus(10, [:]) == [[], []])
        #expect(focus(10) == [["script"], []], "that in the other terminal had it")
    }

    @Test("An owner that is of no matter any more is forgotten, and one whose process is unknown never had the focus")
    mutating func gone() {
        #expect(focus(10) == [["script"], ["shell"]])
        #expect(focus(20, ["shell": 21]) == [["shell"], []])
        parents[12] = 1
        #expect(focus(20) == [["shell"], ["script"]])
    }
}
