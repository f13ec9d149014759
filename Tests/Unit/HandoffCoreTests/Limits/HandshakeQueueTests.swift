import HandoffCore
import HandoffTestVectors
import TestLimits
import Testing

@Suite("Turns of unauthenticated peers", .endsWithin(minutes: 10))
struct HandshakeQueueTests {
    private typealias Queue = HandshakeQueue<Int>

    /// A queue whose places are taken by the owners 0 to 15 at the time 0, and their ids.
    private func full() -> (queue: Queue, ids: [Queue.ID]) {
        var queue = Queue()
        let ids = (0..<Queue.places).map { queue.arrive($0, at: .zero).id }
        return (queue, ids)
    }

    @Test("A peer has its turn at once while there are places")
    func room() {
        var queue = Queue()
        for owner in 0..<Queue.places {
            let (id, actions) = queue.arrive(owner, at: .zero)
            #expect(actions == [.admit(id)])
        }
        #expect(queue.deadline == nil)
    }

    @Test("A peer that has a place keeps it for half a second, whoever comes; then the oldest one goes")
    func minimumStay() {
        var (queue, ids) = full()
        let (late, actions) = queue.arrive(99, at: .milliseconds(499))
        #expect(actions.isEmpty)
        #expect(queue.deadline == .milliseconds(500))
        #expect(queue.advance(to: .milliseconds(499)).isEmpty)
        #expect(queue.advance(to: .milliseconds(500)) == [.dismiss(ids[0]), .admit(late)])
        #expect(queue.deadline == nil)
        #expect(queue.admittedCount == Queue.places)
    }

    @Test("The place of a peer that has failed at once is given on only after a tenth of a second")
    func cooling() {
        var (queue, ids) = full()
        let late = queue.arrive(99, at: .milliseconds(1)).id
        #expect(queue.leave(ids[3], hasAuthenticated: false, at: .milliseconds(2)).isEmpty)
        #expect(queue.deadline == .milliseconds(100))
        #expect(queue.advance(to: .milliseconds(99)).isEmpty)
        #expect(queue.advance(to: .milliseconds(100)) == [.admit(late)])
    }

    @Test(
        "The place of a peer that has authenticated is free at once, and its address goes first for a quarter of an hour"
    )
    func known() {
        var (queue, ids) = full()
        let first = queue.arrive(50, at: .milliseconds(1)).id
        #expect(queue.leave(ids[3], hasAuthenticated: true, at: .milliseconds(2)) == [.admit(first)])
        let stranger = queue.arrive(51, at: .milliseconds(3)).id
        let (friend, actions) = queue.arrive(3, at: .milliseconds(4))
        #expect(actions == [.admit(friend)], "a known address has a place beside the others")
        #expect(queue.waitingCount == 1)
        let forgotten = queue.arrive(3, at: .milliseconds(2) + Queue.memory)
        // It waits like any other by now; the stranger was first.
        let order = forgotten.actions.filter { if case .admit = $0 { true } else { false } }
        #expect(order == [.admit(stranger), .admit(forgotten.id)])
    }

    @Test("Of those that wait, one of an address with the fewest places is next, and then the one that came first")
    func fairness() {
        var queue = Queue()
        let crowd = (0..<Queue.places).map { _ in queue.arrive(7, at: .zero).id }
        let more = queue.arrive(7, at: .milliseconds(1)).id
        let other = queue.arrive(8, at: .milliseconds(2)).id
        #expect(queue.leave(crowd[0], hasAuthenticated: true, at: .milliseconds(3)) == [.admit(other)])
        #expect(queue.leave(more, hasAuthenticated: false, at: .milliseconds(4)).isEmpty)
        #expect(queue.waitingCount == 0)
    }

    @Test("When too many wait, a newcomer is dismissed, and a known address displaces the last stranger")
    func fullLine() {
        var (queue, ids) = full()
        #expect(queue.leave(ids[0], hasAuthenticated: true, at: .zero).isEmpty)
        for owner in 90..<94 { _ = queue.arrive(owner, at: .zero) }
        var last: Queue.ID?
        var owner = 100
        while queue.waitingCount < Queue.maximumWaiting {
            owner += 1
            last = queue.arrive(owner, at: .zero).id
        }
        let (stranger, refused) = queue.arrive(1000, at: .zero)
        #expect(refused == [.dismiss(stranger)])
        let (friend, actions) = queue.arrive(0, at: .zero)
        #expect(actions == [last.map { .dismiss($0) }, .admit(friend)].compactMap(\.self))
    }

    @Test("A line that one address has filled has room for every other one")
    func lineOfOneAddress() {
        var (queue, _) = full()
        for _ in 0..<Queue.maximumWaiting { _ = queue.arrive(99, at: .zero) }
        let (first, actions) = queue.arrive(100, at: .milliseconds(1))
        #expect(actions.count == 1 && actions != [.dismiss(first)])
        #expect(queue.waitingCount == Queue.maximumWaiting)
        // Nothing is gained by more of the same.
        let (more, refused) = queue.arrive(99, at: .milliseconds(2))
        #expect(refused == [.dismiss(more)])
        let admitted = queue.advance(to: Queue.minimumStay)
        #expect(admitted.contains(.admit(first)))
    }

    @Test("An attacker that uses the address of a trusted device for all its channels does not keep others out")
    func borrowedAddress() {
        var queue = Queue()
        let trusted = queue.arrive(7, at: .zero).id
        _ = queue.leave(trusted, hasAuthenticated: true, at: .zero)
        var stays: [Queue.ID: Duration] = [:]
        var open = 0
        var caller: Queue.ID?
        for millisecond in 1...10_000 {
            let now = Duration.milliseconds(millisecond)
            var actions: [Queue.Action] = []
            // The attacker holds as many channels as it can, and ends none of them itself.
            while open < 100 {
                open += 1
                actions += queue.arrive(7, at: now).actions
            }
            if millisecond == 1000 {
                let arrival = queue.arrive(8, at: now)
                caller = arrival.id
                actions += arrival.actions
            }
            for action in actions + queue.advance(to: now) {
                switch action {
                case .admit(let id) where id == caller: return
                case .admit(let id): stays[id] = now
                case .dismiss(let id):
                    #expect(id != caller, "the caller was dismissed")
                    open -= 1
                }
            }
        }
        Issue.record("the caller has waited for nine seconds")
    }

    @Test(
        "A caller that takes a tenth of a second is served beside 40 strangers that dial all the time",
        arguments: 0..<20
    )
    func starvation(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var queue = Queue()
        var owner = 1
        // When each admitted peer ends by itself: strangers at any time up to two seconds.
        var ends: [Queue.ID: Duration] = [:]
        var (served, caller): (Int, Queue.ID?) = (0, nil)
        var (present, arrived) = (0, Duration.zero)
        var longest = Duration.zero
        func perform(_ actions: [Queue.Action], at now: Duration) {
            for action in actions {
                switch action {
                case .admit(let id) where id == caller: ends[id] = now + .milliseconds(100)
                case .admit(let id): ends[id] = now + .milliseconds(Int.random(in: 0...2000, using: &random))
                case .dismiss(let id):
                    #expect(id != caller, "the caller was dismissed")
                    ends[id] = nil
                    present -= 1
                }
            }
        }
        for millisecond in 0..<30_000 where served < 8 {
            let now = Duration.milliseconds(millisecond)
            while present < 40 {
                owner += 1
                present += 1
                perform(queue.arrive(owner, at: now).actions, at: now)
            }
            if caller == nil {
                owner += 1
                arrived = now
                let (id, actions) = queue.arrive(owner, at: now)
                caller = id
                perform(actions, at: now)
            }
            for (id, end) in ends where end <= now {
                ends[id] = nil
                let isCaller = id == caller
                if isCaller { (served, caller, longest) = (served + 1, nil, max(longest, now - arrived)) }
                if !isCaller { present -= 1 }
                perform(queue.leave(id, hasAuthenticated: isCaller, at: now), at: now)
            }
            perform(queue.advance(to: now), at: now)
        }
        #expect(served == 8)
        #expect(longest <= .seconds(2), "in the time of the queue, not of a clock")
    }
}
