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
            for part in [first, second, first] { part.userActivity = activity }
            try await activity.save()
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
            try await activity.save()
            #expect(activity.userInfo == ["kept": true])
            #expect(!activity.needsSave)
        }
    }

    @Test("An activity ends when its last responder leaves it, or turns to another activity")
    func last() async throws {
        let log = Log()
        let (first, second) = (Part("first", log), Part("second", log))
        try await Handoff.run(bus: Self.nowhere) { handoff in
            let activity = try UserActivity(activityType: "org.example.edit", in: handoff)
            let other = try UserActivity(activityType: "org.example.draw", in: handoff)
            activity.title = "T"
            first.userActivity = activity
            second.userActivity = activity
            first.userActivity = nil
            #expect(activity.title == "T")
            #expect(activity.responders.count == 1)
            #expect(first.userActivity == nil)
            second.userActivity = other
            #expect(activity.title == nil)
            #expect(second.userActivity === other)
            first.userActivity = activity
            #expect(first.userActivity == nil, "the activity has ended")
        }
    }

    @Test(
        "A responder that is deallocated is no part of the activity any more, and the last one ends it, current or not"
    )
    func deallocated() async throws {
        let log = Log()
        try await Handoff.run(bus: Self.nowhere) { handoff in
            let activity = try UserActivity(activityType: "org.example.edit", in: handoff)
            activity.userInfo = ["stale": true]
            activity.becomeCurrent()
            var first: Part? = Part("first", log)
            var second: Part? = Part("second", log)
            first?.userActivity = activity
            second?.userActivity = activity
            first = nil
            try await activity.save()
            #expect(activity.userInfo == ["second": 1])
            second = nil
            #expect(activity.isOver)
            #expect(activity.userInfo.isEmpty)
        }
        #expect(log.lines == ["second []"])
    }

    @Test("A responder on the main actor may be deallocated on any other actor")
    func elsewhere() async throws {
        try await Handoff.run(bus: Self.nowhere) { handoff in
            let activity = try UserActivity(activityType: "org.example.edit", in: handoff)
            await Self.openAndForget(activity)
            #expect(activity.isOver)
        }
    }

    private static func openAndForget(_ activity: UserActivity) async {
        let window = await Window(of: activity)
        await window.show()
    }

    @Test("An activity needs a save once it has a responder or a delegate, so that its first state is not empty")
    func firstGathering() async throws {
        let log = Log()
        let (part, delegate) = (Part("part", log), Saver(log))
        try await Handoff.run(bus: Self.nowhere) { handoff in
            let activity = try UserActivity(activityType: "org.example.edit", in: handoff)
            #expect(!activity.needsSave)
            part.userActivity = activity
            #expect(activity.needsSave)
            try await activity.save()
            #expect(!activity.needsSave)
            activity.delegate = delegate
            #expect(activity.needsSave)
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
                _ = try await activity.getContinuationStreams()
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

/// A part of an app's window.
@MainActor
private final class Window: UserActivityResponder {
    let userActivityReference = UserActivityReference()
    private var isShown = false

    init(of activity: UserActivity) {
        userActivity = activity
    }

    func show() { isShown = true }
}

private final class Part: UserActivityResponder {
    let userActivityReference = UserActivityReference()
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
