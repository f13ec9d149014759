package import HandoffModel

/// Decides which member a device with nothing to offer greets for itself alone, after it has greeted all.
///
/// A member that lacks this device's key does not hear the greeting for all, and one whose key this device lacks is not
/// heard. Only an advertisement for the two reaches it, and only when its scanner listens: so a greeting is longer than the
/// longest pause of a scanner, and over as soon as the exchange is completed.
package struct MemberGreetings: Sendable {
    /// How long a member is greeted: a window of a scanner that hears nobody (``ScanPolicy``), its pause, and the 1.28 s
    /// between two advertisements of an old bluetoothd.
    package static let duration = Duration.seconds(92)
    /// How many members are greeted each time somebody comes.
    package static let maximumMembers = 4
    /// How long a member that has let a greeting pass is not greeted again: it is probably away, and greets when it comes.
    package static let pauseAfterSilence = Duration.seconds(600)
    /// How late the end of a greeting may be noticed for it to count as one that was let pass: after a longer time, this
    /// device has slept meanwhile.
    private static let tolerance = Duration.seconds(5)

    private struct Greeting {
        let member: DeviceID
        let end: Duration
    }

    /// Whether members are greeted, or will be when all have been.
    private var isActive = false
    private var greeted: Set<DeviceID> = []
    private var current: Greeting?
    /// When members are not greeted any more, as `uptime`; nil until the greeting for all is over.
    private var end: Duration?
    /// The members that have let a greeting pass, and when it ended, as `uptime`.
    private var silent: [DeviceID: Duration] = [:]

    package init() {}

    /// Begins anew, because somebody has come: with the first member when the greeting for all is over.
    package mutating func begin() { (greeted, current, end, isActive) = ([], nil, nil, true) }

    /// Records that the clock was set: members that have let a greeting pass may not have had its key.
    package mutating func clockWasSet() { silent = [:] }

    /// Ends: nobody is greeted any more until somebody comes.
    package mutating func stop() { (current, isActive) = (nil, false) }

    /// Returns the member that is greeted, and the `uptime` at which to call again, if that is not when something changes.
    ///
    /// - Parameters:
    ///   - uptime: the present.
    ///   - lagging: the members with which an exchange is due, the first one first.
    ///   - heard: those that are heard: they are called, so that no greeting begins, and one goes on until the exchange is
    ///     completed.
    ///   - isSilent: whether this device may advertise, and has nothing to offer; else there are no greetings any more.
    ///   - isWaiting: whether the greeting for all is not over, or the radio cannot advertise it.
    package mutating func advance(
        to uptime: Duration,
        for lagging: [DeviceID],
        heard: Set<DeviceID> = [],
        isSilent: Bool,
        isWaiting: Bool = false
    ) -> (member: DeviceID?, next: Duration?) {
        guard isActive, isSilent else {
            stop()
            return (nil, nil)
        }
        guard !isWaiting else {
            // Nobody has heard it.
            if let current { greeted.remove(current.member) }
            current = nil
            return (nil, nil)
        }
        if let current, lagging.contains(current.member) {
            if current.end > uptime { return (current.member, current.end) }
            if uptime - current.end < Self.tolerance { silent[current.member] = current.end }
        }
        current = nil
        return next(of: lagging, heard, at: uptime)
    }

    private mutating func next(
        of lagging: [DeviceID],
        _ heard: Set<DeviceID>,
        at uptime: Duration
    ) -> (member: DeviceID?, next: Duration?) {
        let end = self.end ?? uptime + Self.duration * Self.maximumMembers
        self.end = end
        silent = silent.filter { uptime - $0.value < Self.pauseAfterSilence }
        let left = lagging.filter { !greeted.contains($0) && silent[$0] == nil }
        guard greeted.count < Self.maximumMembers, uptime < end, !left.isEmpty else {
            stop()
            return (nil, nil)
        }
        // One that was heard is called when it is heard again; if it is not, it does not count as heard soon.
        guard let member = left.first(where: { !heard.contains($0) }) else {
            return (nil, min(end, uptime + NearbyTable.timeout))
        }
        greeted.insert(member)
        let greeting = Greeting(member: member, end: uptime + Self.duration)
        current = greeting
        return (member, greeting.end)
    }
}
