import Foundation
import TestLimits
import Testing

@testable import HandoffDaemon

@Suite("The memory of a process with keys", .endsWithin(minutes: 10))
struct ProcessMemoryTests {
    @Test("It is not dumpable after it was protected")
    func protected() {
        let wasDumpable = ProcessMemory.isDumpable
        defer { ProcessMemory.setDumpable(wasDumpable) }
        ProcessMemory.setDumpable(true)
        ProcessMemory.protect()
        #expect(!ProcessMemory.isDumpable)
    }

    @Test("Releasing code makes the process smaller")
    func released() throws {
        let before = try Self.residentCode()
        ProcessMemory.releaseCode()
        let after = try Self.residentCode()
        #expect(after < before, "\(after) kB are resident, of \(before)")
    }

    /// The memory of files that this process has mapped, in kB: its code and constants (proc_pid_status(5), RssFile).
    private static func residentCode() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("RssFile:") })
        return try #require(line.split(separator: " ").compactMap { Int($0) }.first)
    }
}
