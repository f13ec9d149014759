import DBus
import Foundation
import HandoffBus
import HandoffKit
import HandoffTestSupport
import Synchronization
import Testing
import TestLimits

/// A window that contributes one number.
final class StoryPart: UserActivityResponder {
    let userActivityReference = UserActivityReference()
    let value: StoryValue<Int>
    private let key: String

    init(_ key: String, _ value: Int) {
        self.key = key
        self.value = StoryValue(value)
    }

    func updateUserActivityState(_ activity: UserActivity) async {
        activity.addUserInfoEntries(from: [key: .integer(value.value)])
    }
}

/// A value that a test changes.
final class StoryValue<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    init(_ value: Value) { state = Mutex(value) }

    var value: Value { state.withLock(\.self) }

    func set(_ value: Value) { state.withLock { $0 = value } }
}

/// A delegate that saves texts of various lengths.
final class StorySaver: UserActivityDelegate {
    private let count = StoryValue(0)
    private let results = AsyncStream<SaveResult>.makeStream()

    /// Lets the next save have a text of `count` characters.
    func save(_ count: Int, _ activity: UserActivity) {
        self.count.set(count)
        activity.needsSave = true
    }

    func next() async -> SaveResult? {
        for await result in results.stream { return result }
        return nil
    }

    func userActivityWillSave(_ userActivity: UserActivity) async {
        userActivity.userInfo = ["text": .string(String(repeating: "x", count: count.value))]
    }

    func userActivity(_ userActivity: UserActivity, didSave result: SaveResult) async {
        results.continuation.yield(result)
    }
}

/// An app that continues every activity.
final class StoryReader: HandoffApplicationDelegate {
    private let received = AsyncStream<UserActivity>.makeStream()

    func next() async -> UserActivity? {
        for await activity in received.stream { return activity }
        return nil
    }

    func application(
        _ handoff: Handoff,
        continue userActivity: UserActivity,
        restorationHandler: @escaping RestorationHandler
    ) async -> Bool {
        received.continuation.yield(userActivity)
        return true
    }
}
