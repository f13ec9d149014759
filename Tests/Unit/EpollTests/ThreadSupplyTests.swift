import Epoll
import TestLimits
import Testing

@testable import Epoll

@Suite("How many threads the system allows", .endsWithin(minutes: 10))
struct ThreadSupplyTests {
    @Test("As many threads are created as are needed, and no shortage is told")
    func enough() {
        #expect(ThreadSupply.created(upTo: 20) == 20)
        #expect(ThreadSupply.shortage(of: 20, for: "handoffd") == nil)
    }

    @Test("A shortage names the limits and what to do")
    func shortage() {
        let sentence = ThreadSupply.sentence(3, of: 12, for: "handoffd", limits: ["/sys/fs/cgroup/pids.max is 5"])
        #expect(sentence.contains("needs 12 threads and can have 3"))
        #expect(sentence.contains("(/sys/fs/cgroup/pids.max is 5)"))
        #expect(sentence.contains("TasksMax="))
        #expect(!ThreadSupply.sentence(3, of: 12, for: "handoffd", limits: []).contains("("))
    }
}
