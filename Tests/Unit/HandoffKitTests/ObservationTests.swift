import DBus
import HandoffBus
import TestLimits
import Testing

@testable import HandoffKit

@Suite("The properties of an activity can be observed", .endsWithin(minutes: 10))
struct ObservationTests {
    private static let nowhere = "unix:path=/nowhere"

    @Test("Each element names what has changed since the one before, and a slow reader misses none")
    func changes() async throws {
        try await Handoff.run(bus: Self.nowhere) { handoff in
            let activity = try UserActivity(activityType: "org.example.edit", in: handoff)
            var changes = activity.changes.makeAsyncIterator()
            activity.title = "T"
            let first = await changes.next()
            #expect(first == [.title])
            activity.title = "T"
            for line in 1...1000 { activity.userInfo = ["line": .integer(line)] }
            activity.documentURL = try DocumentURL("file:///home/ann/a.txt")
            activity.needsSave = true
            activity.isEligibleForHandoff = false
            let second = await changes.next()
            #expect(second == [.userInfo, .documentURL, .needsSave, .isEligibleForHandoff])
            activity.invalidate()
            let last = await changes.next()
            #expect(last == nil)
            var none = activity.changes.makeAsyncIterator()
            let ended = await none.next()
            #expect(ended == nil)
        }
    }

    @Test("Any number of readers, on any actor, see every property that changes")
    func readers() async throws {
        try await Handoff.run(bus: Self.nowhere) { handoff in
            let activity = try UserActivity(activityType: "org.example.edit", in: handoff)
            let sequences = (0..<4).map { _ in activity.changes }
            await withTaskGroup(of: Set<UserActivityProperty>.self) { group in
                for changes in sequences {
                    group.addTask { await changes.reduce(into: []) { $0.formUnion($1) } }
                }
                await withTaskGroup(of: Void.self) { writers in
                    for number in 0..<8 {
                        writers.addTask { activity.addUserInfoEntries(from: ["\(number)": .integer(number)]) }
                    }
                    writers.addTask { activity.targetContentIdentifier = "note 42" }
                }
                activity.invalidate()
                for await seen in group { #expect(seen == [.userInfo, .targetContentIdentifier]) }
            }
        }
    }

    @Test("The changes end with Handoff")
    func end() async throws {
        let activity = try await Handoff.run(bus: Self.nowhere) { handoff in
            try UserActivity(activityType: "org.example.edit", in: handoff)
        }
        for await _ in activity.changes { Issue.record("nothing changes any more") }
    }

    @Test("A description of the daemon does not replace what a newer signal has reported")
    func order() {
        var state = PublishedState()
        state.apply(signal: ["DocumentProblem": .string("It has left.")])
        state.apply(description: [
            "DocumentProblem": .string(""), "Current": .boolean(true), "EncodedSize": .uint32(7),
        ])
        #expect(state.documentProblem == "It has left.")
        #expect(state.isCurrent && state.isDescribed)
        #expect(state.encodedSize == 7)
        var other = state
        other.forget()
        #expect(!other.isCurrent && !other.isDescribed && other.encodedSize == 7)
        #expect(other.changes(since: state) == [.isCurrent, .documentProblem])
    }
}
