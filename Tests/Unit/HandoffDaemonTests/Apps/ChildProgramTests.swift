import AsyncSupport
import Epoll
import SystemPackage
import TestLimits
import Testing

@testable import HandoffDaemon

@Suite("Launched programs are reaped, and end when they shall", .endsWithin(minutes: 10))
struct ChildProgramTests {
    @Test(
        "The status of a program is known once it has ended, by itself or by a signal",
        arguments: [(7, 7), (-9, 137)]
    )
    func status(end: Int, expected: Int) async throws {
        let script = end < 0 ? "kill \(end) $$" : "exit \(end)"
        let child = try LaunchedProgram(command: ["sh", "-c", script]).start()
        let status = try await Reactor.withReactor { try await child.waitForExit(on: $0, unless: Promise()) }
        #expect(status == Int32(expected))
        #expect(throws: (any Error).self, "it was reaped") { try child.reap() }
    }

    @Test(
        "A program that shall end is ended with what it has started, also if both ignore that",
        arguments: [false, true]
    )
    func stopped(ignoresRequests: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let (begun, open) = (directory.appending("begun"), directory.appending("open"))
            for pipe in [begun, open] { try pipe.makePipe() }
            let head = ignoresRequests ? "trap '' TERM; " : ""
            // Whoever has the pipe open is the shell, or was started by it.
            let script = head + "exec 3> '\(open)'; sleep 600 & echo > '\(begun)'; sleep 600; sleep 600; sleep 600"
            let stopping = Promise<Void>()
            async let end = open.readPipe()
            let child = try LaunchedProgram(command: ["sh", "-c", script]).start()
            async let status = Reactor.withReactor {
                try await child.waitForExit(on: $0, unless: stopping, within: .milliseconds(50))
            }
            _ = try await begun.readPipe()
            stopping.fulfil(())
            let (found, rest) = (try await status, try await end)
            #expect(found == (ignoresRequests ? 137 : 143))
            #expect(rest.isEmpty)
        }
    }

    @Test("A program that ended before it was to end has its own status")
    func endedBefore() async throws {
        let child = try LaunchedProgram(command: ["sh", "-c", "exit 3"]).start()
        let running = RunningProgram()
        let status = try await Reactor.withReactor { try await child.waitForExit(on: $0, unless: running.stopping) }
        running.stop()
        #expect(status == 3)
    }
}
