package import DesktopNotifications
package import HandoffBus

/// Pairs with another device by notifications: what is shown when, and what an answer means.
///
/// Nothing but the button "They match", a second after the digits appeared, confirms them.
package struct PairingPrompt: Sendable {
    /// What a notification server can do.
    package enum Server: Hashable, Sendable {
        case absent
        case withoutButtons
        case able
    }

    /// The number of a question of the daemon.
    package typealias Question = UInt64

    package enum Event: Hashable, Sendable {
        /// The user wants to pair.
        case pair(Server)
        /// The user wants to stop.
        case stop
        /// The user wants to see the digits again.
        case showDigits
        /// The daemon did not begin; a sentence.
        case refused(String)
        case choice(Question, [PairingCandidate])
        case digits(Question, String, deviceName: String)
        /// The last question needs no answer any more.
        case withdrawn(String)
        case paired(deviceName: String)
        case failed(HandoffErrorName?, String)
        /// The notification was shown.
        case shown
        /// No server has shown the notification.
        case notShown
        /// A button of the notification was pressed.
        case pressed(String)
        /// There is another notification server, or none.
        case serverChanged(Server)
        /// The time of a requested wake-up has come; tells whether the notification is shown still.
        case alarm(isShown: Bool)
        case daemonStopped
    }

    package enum Action: Hashable, Sendable {
        /// Shows a notification in place of the last one.
        case show(DesktopNotification)
        /// Closes the notification.
        case close
        /// Asks the daemon to pair.
        case request
        /// Asks the daemon to stop.
        case stop
        case choose(Question, UInt64)
        case confirm(Question, Bool)
        /// Ends a question without an answer.
        case abandon(Question)
        /// Asks for an alarm after that time.
        case wake(Duration)
        /// Tells the user without a notification.
        case tell(String)
    }

    /// How long digits have to be shown before they can be confirmed: a click that comes earlier was meant for something
    /// else, and nobody compares six digits faster.
    package static let readingTime = Duration.seconds(1)
    /// The most devices with a button each.
    private static let mostCandidates = 5
    private static let advice = "Run `handoffctl pair` in a terminal."

    private enum Phase {
        case idle
        case searching
        case choosing(Question, [PairingCandidate])
        /// `since` is the time at which the digits were shown, nil until then.
        case comparing(Question, String, deviceName: String, since: Duration?)
        case confirmed(deviceName: String)
        /// The user has ended it, and the daemon has not told so yet; or said that the digits differ.
        case ending(isDenied: Bool)
    }

    private var phase = Phase.idle

    /// Makes a prompt that waits for the user.
    package init() {}

    /// What the menu offers meanwhile.
    package var menu: DesktopState.Pairing {
        switch phase {
        case .idle: .idle
        case .searching, .choosing, .ending: .searching
        case .comparing: .comparing
        case .confirmed(let name): .confirmed(name)
        }
    }

    /// Handles an event; `now` is the time since some fixed moment.
    package mutating func handle(_ event: Event, at now: Duration) -> [Action] {
        switch event {
        case .pair(let server): return begin(server)
        case .stop: return stop()
        case .showDigits, .alarm(isShown: false): return shownAgain()
        case .alarm(isShown: true): return remind()
        case .refused(let message): return end("Pairing did not begin", message)
        case .choice(let question, let candidates):
            let last = abandoned
            phase = .choosing(question, candidates)
            return last + [.show(Self.choice(candidates))]
        case .digits(let question, let digits, let name):
            let last = abandoned
            phase = .comparing(question, digits, deviceName: name, since: nil)
            return last + [.show(Self.comparison(digits, name))]
        case .withdrawn: return resumeSearch()
        case .paired(let name): return end("Paired with \(name.shown)", "The two devices now trust each other.")
        case .failed(let error, let message): return fail(error, message)
        case .shown:
            if case .comparing(let question, let digits, let name, nil) = phase {
                phase = .comparing(question, digits, deviceName: name, since: now)
            }
            return []
        case .notShown:
            if case .idle = phase { return [] }
            return [.tell("The desktop shows no notifications now. \(Self.advice)")]
        case .pressed(let key): return press(key, at: now)
        case .serverChanged(let server): return change(server)
        case .daemonStopped:
            return abandoned + end("Pairing has ended", "handoffd has stopped. Start it and try again.")
        }
    }

    // MARK: Beginning and ending

    private mutating func begin(_ server: Server) -> [Action] {
        guard case .idle = phase else { return shownAgain() }
        switch server {
        case .absent: return [.tell("There are no notifications here. \(Self.advice)")]
        case .withoutButtons:
            let sentence = "Notifications have no buttons here. \(Self.advice)"
            return [.tell(sentence), .show(Self.message("Pair a device", sentence))]
        case .able:
            phase = .searching
            return [.show(Self.search), .request]
        }
    }

    private mutating func stop() -> [Action] {
        if case .idle = phase { return [] }
        let last = abandoned
        // The daemon then tells how it has ended.
        phase = .ending(isDenied: false)
        return last + [.stop]
    }

    private mutating func resumeSearch() -> [Action] {
        switch phase {
        case .idle, .ending: return []
        case .searching, .choosing, .comparing, .confirmed:
            let last = abandoned
            phase = .searching
            return last + [.show(Self.search)]
        }
    }

    private mutating func fail(_ error: HandoffErrorName?, _ message: String) -> [Action] {
        if case .idle = phase { return [] }
        // Who has stopped the pairing knows it; who has said that the digits differ may be under attack.
        if error == .userCancelled, !isDenied { return abandoned + end() }
        let summary = error == .unconfirmed ? "The other device has not answered" : "Not paired"
        return abandoned + end(summary, message)
    }

    /// Ends the pairing, with a message or without one.
    private mutating func end(_ summary: String? = nil, _ message: String = "") -> [Action] {
        if case .idle = phase { return [] }
        phase = .idle
        return [summary.map { .show(Self.message($0, message.shownSentence)) } ?? .close]
    }

    private var isDenied: Bool { if case .ending(isDenied: true) = phase { true } else { false } }

    /// Ends the open question, if there is one, without an answer.
    private var abandoned: [Action] {
        switch phase {
        case .choosing(let question, _), .comparing(let question, _, _, _): [.abandon(question)]
        case .idle, .searching, .confirmed, .ending: []
        }
    }

    // MARK: Answers

    private mutating func press(_ key: String, at now: Duration) -> [Action] {
        switch (phase, key) {
        case (.searching, "stop"), (.choosing, "stop"): return stop()
        case (.choosing(let question, let candidates), _):
            guard let candidate = candidates.first(where: { Self.key(of: $0) == key }) else { return [] }
            phase = .searching
            return [.choose(question, candidate.number), .show(Self.search)]
        case (.comparing(let question, _, let name, let since), "match"):
            let elapsed = since.map { now - $0 } ?? .zero
            // Servers may have closed the notification: it comes again when it can be answered.
            guard elapsed >= Self.readingTime else { return [.wake(Self.readingTime - elapsed)] }
            phase = .confirmed(deviceName: name)
            return [.confirm(question, true), .show(Self.wait(for: name))]
        case (.comparing(let question, _, _, _), "differ"):
            phase = .ending(isDenied: true)
            return [.confirm(question, false)]
        default: return []
        }
    }

    private mutating func shownAgain() -> [Action] {
        switch phase {
        case .idle, .ending: return []
        case .searching: return [.show(Self.search)]
        case .choosing(_, let candidates): return [.show(Self.choice(candidates))]
        case .comparing(let question, let digits, let name, _):
            // They may come under a pointer that was about to press something else.
            phase = .comparing(question, digits, deviceName: name, since: nil)
            return [.show(Self.comparison(digits, name))]
        case .confirmed(let name): return [.show(Self.wait(for: name))]
        }
    }

    /// Shows the digits again where they are still: they can be confirmed now.
    private func remind() -> [Action] {
        guard case .comparing(_, let digits, let name, _) = phase else { return [] }
        return [.show(Self.comparison(digits, name))]
    }

    private mutating func change(_ server: Server) -> [Action] {
        switch (phase, server) {
        case (.idle, _), (_, .absent): return []
        case (_, .able): return shownAgain()
        case (.confirmed, .withoutButtons), (.ending, .withoutButtons): return []
        case (_, .withoutButtons): return [.tell("Notifications have no buttons any more. \(Self.advice)")] + stop()
        }
    }

    // MARK: Notifications

    private static let search = DesktopNotification(
        summary: "Pair a device",
        body: "Choose “Pair a device…” on the other one, too, or run `handoffctl pair` there, within two minutes.",
        actions: [DesktopNotification.Action("stop", "Stop")],
        urgency: .normal,
        isPersistent: true,
        isResident: true
    )

    private static func choice(_ candidates: [PairingCandidate]) -> DesktopNotification {
        let shown = candidates.prefix(mostCandidates)
        let rest = candidates.count - shown.count
        let more = rest > 0 ? " \(rest) more are ready; stop, and run `handoffctl pair`, to see all." : ""
        return DesktopNotification(
            summary: "Which one is your other device?",
            body: "Several devices are ready to pair.\(more)",
            actions: shown.map { DesktopNotification.Action(key(of: $0), title(of: $0, in: candidates)) }
                + [DesktopNotification.Action("stop", "Stop")],
            urgency: .critical,
            isPersistent: true,
            isResident: true,
            isTransient: false
        )
    }

    private static func comparison(_ digits: String, _ name: String) -> DesktopNotification {
        DesktopNotification(
            summary: "\(digits.prefix(3)) \(digits.suffix(3))",
            body: "Does \(name.shown) show the same digits? Then the two devices will trust each other.",
            // The first button is the one that keys and habits press, so it is not the yes.
            actions: [
                DesktopNotification.Action("differ", "They do not match"),
                DesktopNotification.Action("match", "They match"),
            ],
            urgency: .critical,
            isPersistent: true,
            isResident: true,
            isTransient: false
        )
    }

    private static func wait(for name: String) -> DesktopNotification {
        DesktopNotification(
            summary: "Waiting for the answer on \(name.shown)",
            body: "Confirm the digits there, too.",
            urgency: .normal,
            isPersistent: true
        )
    }

    private static func message(_ summary: String, _ body: String) -> DesktopNotification {
        DesktopNotification(summary: summary, body: body, urgency: .normal, isTransient: false)
    }

    private static func key(of candidate: PairingCandidate) -> String { "device-\(candidate.number)" }

    /// The name of a device, with the first digits of its id where another one has that name.
    private static func title(of candidate: PairingCandidate, in candidates: [PairingCandidate]) -> String {
        let name = label(candidate)
        let isUnique = candidates.count { label($0) == name } == 1
        return isUnique ? name : "\(name) (\(candidate.device.prefix(8).description.shown))"
    }

    /// The name of a device on a button, without `&`, `<` and `>`: the specification does not say whether a label is
    /// markup, and servers differ.
    private static func label(_ candidate: PairingCandidate) -> String {
        candidate.name.shown.unicodeScalars.reduce(into: "") { result, scalar in
            result.unicodeScalars.append(["&", "<", ">"].contains(scalar) ? "·" : scalar)
        }
    }
}
