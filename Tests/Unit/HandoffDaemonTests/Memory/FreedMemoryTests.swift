@testable import HandoffDaemon
import Synchronization
import TestLimits
import Testing

@Suite("Memory that streams free is kept while one runs", .endsWithin(minutes: 10))
struct FreedMemoryTests {
    @Test("It is kept from the first stream on, and given back after the last one, each time anew")
    func overlapping() async {
        let changes = Mutex([Bool]())
        let memory = FreedMemory { isKept in changes.withLock { $0.append(isKept) } }
        await memory.isKept {
            #expect(changes.withLock(\.self) == [true])
            await memory.isKept {}
            #expect(changes.withLock(\.self) == [true])
        }
        #expect(changes.withLock(\.self) == [true, false])
        await memory.isKept {}
        #expect(changes.withLock(\.self) == [true, false, true, false])
    }
}
