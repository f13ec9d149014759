import Glibc
import TestLimits
import Testing

@testable import HandoffDaemon

@Suite("Launched programs are reaped", .endsWithin(minutes: 10))
struct LaunchedProgramTests {
    @Test(
        "The status of a program is known once it has ended, by itself or by a signal",
        arguments: [(7, 7), (-9, 137)]
    )
    func status(end: Int, expected: Int) throws {
        let script = end < 0 ? "kill \(end) $$" : "exit \(end)"
        let process = try LaunchedProgram(command: ["sh", "-c", script]).start()
        var information = siginfo_t()
        while waitid(P_PID, id_t(process), &information, WEXITED | WNOWAIT) == -1, errno == EINTR {}
        #expect(try LaunchedProgram.status(of: process) == Int32(expected))
        #expect(throws: (any Error).self) { try LaunchedProgram.status(of: process) }
    }
}
