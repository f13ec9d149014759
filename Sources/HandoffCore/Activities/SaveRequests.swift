/// Which apps have been asked to save their newest state, because another device is about to fetch it.
///
/// However many devices fetch at once, an app is asked once. Those that fetch wait until it has answered, at most for
/// ``timeout``; after that they get what was saved last. An app that is late is not asked again before it has answered,
/// and nobody waits for it a second time.
package struct SaveRequests: Sendable {
    /// How long a fetch waits for an app.
    ///
    /// Long enough for a busy app, and short enough that dialling and sending still fit into the 15 seconds that a
    /// fetching device has.
    package static let timeout = Duration.seconds(3)

    /// One request to one app; its number is never used twice.
    package struct Request: Hashable, Sendable {
        package let activity: ActivityRegister.ID
        let number: UInt64
    }

    /// How a round ended for those who waited for it.
    package enum Outcome: Hashable, Sendable {
        /// The app has saved.
        case saved
        /// The app answered that it could not, or cannot be asked.
        case failed
        /// The app has not answered in time.
        case timedOut
    }

    private struct Open {
        let saveRequest: Request
        /// The `uptime` until which fetches wait; nil once that is over.
        var until: Duration?
    }

    /// How long a fetch waits for an app that is asked from now on.
    var timeout = Self.timeout

    private var open: [ActivityRegister.ID: Open] = [:]
    private var lastNumber: UInt64 = 0

    /// How many rounds nobody waits for any more; it changes whenever one ends.
    package private(set) var completions: UInt64 = 0

    package init() {}

    /// Whether the app of that activity was asked, and has not answered.
    package func isOpen(_ activity: ActivityRegister.ID) -> Bool { open[activity] != nil }

    /// Whether a fetch of that activity has to wait for its app.
    package func isAwaited(_ activity: ActivityRegister.ID) -> Bool { open[activity]?.until != nil }

    /// The `uptime` at which ``expire(at:)`` has something to do; nil for never.
    package var nextDeadline: Duration? { open.values.compactMap(\.until).min() }

    /// Begins a round for an activity that has none open.
    package mutating func begin(_ activity: ActivityRegister.ID, at now: Moment) -> Request {
        precondition(!isOpen(activity), "an app is asked once at a time")
        lastNumber += 1
        let saveRequest = Request(activity: activity, number: lastNumber)
        open[activity] = Open(saveRequest: saveRequest, until: now.uptime + timeout)
        return saveRequest
    }

    /// Takes in that the app has answered; false when that round was over already.
    package mutating func end(_ saveRequest: Request) -> Bool {
        guard open[saveRequest.activity]?.saveRequest == saveRequest else { return false }
        remove(saveRequest.activity)
        return true
    }

    /// Forgets the round of an activity that is gone.
    package mutating func remove(_ activity: ActivityRegister.ID) {
        guard let removed = open.removeValue(forKey: activity) else { return }
        if removed.until != nil { completions += 1 }
    }

    /// The activities whose apps have been waited for long enough, each told once, in the order of their ids.
    package mutating func expire(at now: Moment) -> [ActivityRegister.ID] {
        let late = open.filter { entry in entry.value.until.map { $0 <= now.uptime } ?? false }.keys.sorted()
        for activity in late { open[activity]?.until = nil }
        completions += UInt64(late.count)
        return late
    }
}
