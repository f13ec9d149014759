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
}
