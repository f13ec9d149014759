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

    private struct Greeting {
        let member: DeviceID
        let end: Duration
    }

    /// When the next greeting begins, as `uptime`; nil when there is none to come.
    private var next: Duration?
    private var greeted: Set<DeviceID> = []
    private var current: Greeting?

    package init() {}

    /// Begins anew, because somebody has come: with the first member when the greeting for all is over.
    package mutating func begin(at uptime: Duration) {
        (greeted, current) = ([], nil)
        next = uptime + AdvertisementPacer.withdrawalDuration
    }

    /// Returns the member that is greeted, and the `uptime` at which to call again.
    ///
    /// - Parameters:
    ///   - uptime: the present.
    ///   - members: those with which an exchange is due and that are not heard, the first one first.
    ///   - isSilent: whether this device could advertise, and has nothing to offer; else there are no greetings any more.
    package mutating func advance(
        to uptime: Duration,
        for members: [DeviceID],
        isSilent: Bool
    ) -> (member: DeviceID?, next: Duration?) {
        guard let begin = next, isSilent else {
            (next, current) = (nil, nil)
            return (nil, nil)
        }
        if let current, current.end > uptime, members.contains(current.member) { return (current.member, current.end) }
        current = nil
        guard begin <= uptime else { return (nil, begin) }
        guard greeted.count < Self.maximumMembers, let member = members.first(where: { !greeted.contains($0) }) else {
            next = nil
            return (nil, nil)
        }
        greeted.insert(member)
        let greeting = Greeting(member: member, end: uptime + Self.duration)
        current = greeting
        return (member, greeting.end)
    }
}
