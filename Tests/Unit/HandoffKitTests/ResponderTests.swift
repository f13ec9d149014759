import FoundationEssentials
import Synchronization
import TestLimits
import Testing

@testable import HandoffKit

@Suite("Several objects share one activity", .endsWithin(minutes: 10))
struct ResponderTests {
    private static let nowhere = "unix:path=/nowhere"

    @Test(
        "A save begins with no entries; each responder and then the delegate adds its part before the update is seen"
    )
    func round() async throws {
        let log = Log()
        let (first, second, delegate) = (Part("first", log), Part("second", log), Saver(log))
        let watcher = Watcher(log)
        try await Handoff.run(delegate: watcher, bus: Self.nowhere) { handoff in
            let activity = try UserActivity(activityType: "org.example.edit", in: handoff)
            activity.userInfo = ["stale": true]
            activity.delegate = delegate
            for part in [first, second, first] { activity.addResponder(part) }
            await activity.save()
            #expect(activity.userInfo == ["first": 1, "second": 1, "delegate": 1])
        }
        #expect(log.lines == ["first []", "second [first]", "delegate", "seen [delegate, first, second]"])
    }

    @Test("Without responders, no entries are removed")
    func noResponders() async throws {
        try await Handoff.run(bus: Self.nowhere) { handoff in
            let activity = try UserActivity(activityType: "org.example.edit", in: handoff)
            activity.userInfo = ["kept": true]
            activity.needsSave = true
            await activity.save()
            #expect(activity.userInfo == ["kept": true])
            #expect(!activity.needsSave)
        }
    }

    @Test("An activity ends with its last responder, and a removed responder is no longer a part of it")
    func last() async throws {
        let log = Log()
        let (first, second) = (Part("first", log), Part("second", log))
        try await Handoff.run(bus: Self.nowhere) { handoff in
            let activity = try UserActivity(activityType: "org.example.edit", in: handoff)
            activity.title = "T"
            activity.addResponder(first)
            activity.addResponder(second)
            activity.removeResponder(first)
            #expect(activity.title == "T")
            #expect(activity.responders.count == 1)
            activity.removeResponder(second)
            #expect(activity.title == nil)
        }
    }

    @Test("A current activity remains without a reference, and another one is released with its last reference")
    func references() async throws {
        try await Handoff.run(bus: Self.nowhere) { handoff in
            weak var current: UserActivity?
            weak var other: UserActivity?
            do {
                let activity = try UserActivity(activityType: "org.example.edit", in: handoff)
                activity.becomeCurrent()
                current = activity
                let passing = try UserActivity(activityType: "org.example.draw", in: handoff)
                other = passing
            }
            #expect(current != nil)
            #expect(other == nil)
            current?.resignCurrent()
            #expect(current == nil)
        }
    }

    @Test("A stream to an activity that began here is an error with that reason")
    func ownStream() async throws {
        try await Handoff.run(bus: Self.nowhere) { handoff in
            let activity = try UserActivity(activityType: "org.example.edit", in: handoff)
            do {
                _ = try await activity.continuationStreams()
                Issue.record("there is no other device to stream with")
            } catch let error as CocoaError {
                #expect(error.handoffReason == .notContinued)
            }
        }
    }
}

/// The recorded events, in order.
private final class Log: Sendable {
    private let state = Mutex<[String]>([])

    var lines: [String] { state.withLock { $0 } }

    func note(_ line: String) {
        state.withLock { $0.append(line) }
    }
}

private final class Part: UserActivityResponder {
    private let name: String
    private let log: Log

    init(_ name: String, _ log: Log) {
        self.name = name
        self.log = log
    }

    func updateUserActivityState(_ activity: UserActivity) async {
        log.note("\(name) [\(activity.userInfo.keys.sorted().joined(separator: ", "))]")
        activity.addUserInfoEntries(from: [name: 1])
    }
}

private final class Saver: UserActivityDelegate {
    private let log: Log

    init(_ log: Log) {
        self.log = log
    }

    func userActivityWillSave(_ userActivity: UserActivity) async {
        log.note("delegate")
        userActivity.addUserInfoEntries(from: ["delegate": 1])
    }
}

private final class Watcher: HandoffApplicationDelegate {
    private let log: Log

    init(_ log: Log) {
        self.log = log
    }

    func application(_ handoff: Handoff, didUpdate userActivity: UserActivity) async {
        log.note("seen [\(userActivity.userInfo.keys.sorted().joined(separator: ", "))]")
    }
}
