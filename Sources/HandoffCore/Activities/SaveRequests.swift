package import HandoffModel

/// The save requests in progress: apps that were asked to save their newest state because another device is about to
/// fetch it.
///
/// However many devices fetch at once, an app is asked once. The fetches wait until it has answered, at most for
/// ``timeout``; after that they get the state that was saved last. A late app is not asked again before it has
/// answered, and no fetch waits for it a second time.
package struct SaveRequests: Sendable {
    /// How long a fetch waits for an app.
    ///
    /// Long enough for a busy app, and short enough that dialling and sending still fit into the 15 seconds that the
    /// fetching device allows.
    package static let timeout = Duration.seconds(3)

    /// One request to one app; its number is never reused.
    package struct Request: Hashable, Sendable {
        package let activity: ActivityID
        let number: UInt64
    }

    /// The outcome of a request for the fetches that waited for it.
    package enum Outcome: Hashable, Sendable {
        /// The app has saved.
        case saved
        /// The app answered with a failure, or cannot be asked.
        case failed
        /// The app did not answer in time.
        case timedOut
    }

    private struct Open {
        let saveRequest: Request
        /// The `uptime` until which fetches wait; nil once that is over.
        var until: Duration?
    }

    /// How long a fetch waits for an app that is asked from now on.
    var timeout = Self.timeout

    private var open: [ActivityID: Open] = [:]
    private var lastNumber: UInt64 = 0

    /// The number of requests that are no longer waited for; changes whenever waiting ends.
    package private(set) var completions: UInt64 = 0

    package init() {}

    /// Returns whether the app of that activity was asked and has not answered.
    package func isOpen(_ activity: ActivityID) -> Bool { open[activity] != nil }

    /// Returns whether a fetch of that activity has to wait for its app.
    package func isAwaited(_ activity: ActivityID) -> Bool { open[activity]?.until != nil }

    /// The `uptime` at which `expire(at:)` has something to do; nil for never.
    package var nextDeadline: Duration? { open.values.compactMap(\.until).min() }

    /// Begins a request for an activity that has none open.
    package mutating func begin(_ activity: ActivityID, at now: Moment) -> Request {
        precondition(!isOpen(activity), "an app is asked once at a time")
        lastNumber += 1
        let saveRequest = Request(activity: activity, number: lastNumber)
        open[activity] = Open(saveRequest: saveRequest, until: now.uptime + timeout)
        return saveRequest
    }

    /// Records the app's answer; returns false when that request was over already.
    package mutating func end(_ saveRequest: Request) -> Bool {
        guard open[saveRequest.activity]?.saveRequest == saveRequest else { return false }
        remove(saveRequest.activity)
        return true
    }

    /// Removes the request of an activity that no longer exists.
    package mutating func remove(_ activity: ActivityID) {
        guard let removed = open.removeValue(forKey: activity) else { return }
        if removed.until != nil { completions += 1 }
    }

    /// Ends the wait for apps that are late, and returns their activities, each once, ordered by id.
    package mutating func expire(at now: Moment) -> [ActivityID] {
        let late = open.filter { entry in entry.value.until.map { $0 <= now.uptime } ?? false }.keys.sorted()
        for activity in late { open[activity]?.until = nil }
        completions += UInt64(late.count)
        return late
    }
}
