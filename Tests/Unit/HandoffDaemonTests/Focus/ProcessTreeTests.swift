import Glibc
import Testing
import TestLimits

@testable import HandoffDaemon

@Suite("Which processes have started which", .endsWithin(minutes: 10))
struct ProcessTreeTests {
    @Test(
        "The parent is found in a line of /proc, whatever the name of the program",
        arguments: [
            ("17 (bash) S 12 17 17 0 -1", 12), ("17 (a) R 1) S 12 17", 12),
            ("17 (x y) ) Z 4294967295 0", 4_294_967_295),
            ("17 (a) R 1 \u{600}) S 12 17", 12), ("17 (bash) S", nil), ("17 (bash)", nil), ("17 bash S 12", nil),
            ("", nil), ("17 (a) S -1 0", nil),
        ] as [(String, UInt32?)]
    )
    func parent(_ line: String, _ parent: UInt32?) {
        #expect(ProcessTree.parent(inStat: line) == parent)
    }

    @Test("A process is below itself and its parent, and not below another one")
    func tree() {
        let (own, parent) = (UInt32(getpid()), UInt32(getppid()))
        #expect(ProcessTree.contains(own, below: own))
        #expect(ProcessTree.contains(own, below: parent))
        #expect(!ProcessTree.contains(parent, below: own))
        #expect(!ProcessTree.contains(.max, below: own), "there is no such process")
    }
}
