package import HandoffBus
package import HandoffClient

/// Pairs with another device by notifications: shows what a `PairingDialogue` asks, and tells it what was pressed.
package struct PairingPrompt: Sendable {
    /// What a notification server can do.
    package enum Server: Hashable, Sendable {
        case absent
        case withoutButtons
        case able
    }

    package enum Event: Hashable, Sendable {
        /// The user wants to pair.
        case pair(Server)
        /// The user wants to stop.
        case stop
        /// The user wants to see the digits again.
        case showDigits
        /// The daemon did not begin; a sentence.
        case refused(String)
        /// The daemon has called the agent.
        case call(PairingCall)
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
        case answer(PairingCall.QuestionID, PairingAnswer)
        /// Asks for an alarm after that time.
        case wake(Duration)
        /// Tells the user without a notification.
        case tell(String)
    }

    /// The most devices with a button each.
    private static let mostCandidates = 5
    private static let advice = "Run `handoffctl pair` in a terminal."

    private var dialogue = PairingDialogue()

    /// Makes a prompt that waits for the user.
    package init() {}

    /// What the menu offers meanwhile.
    package var menu: DesktopState.Pairing {
        switch dialogue.phase {
        case .idle: .idle
        case .searching, .choosing, .stopping: .searching
        case .comparing: .comparing
        case .confirmed(let name): .confirmed(name)
        }
    }

    /// Handles an event; `now` is the time since some fixed moment.
    package mutating func handle(_ event: Event, at now: Duration) -> [Action] {
        switch event {
        case .pair(let server): begin(server, at: now)
        case .stop: advance(.stop, at: now)
        case .showDigits, .alarm(isShown: false): showAgain(at: now)
        case .alarm(isShown: true): remind()
        case .refused(let message): advance(.refused(message), at: now)
        case .call(let call): advance(.call(call), at: now)
        case .shown: advance(.shown, at: now)
        case .notShown:
            dialogue.phase == .idle ? [] : [.tell("The desktop shows no notifications now. \(Self.advice)")]
        case .pressed(let key): Self.meaning(of: key, in: dialogue.phase).map { advance($0, at: now) } ?? []
        case .serverChanged(let server): change(server, at: now)
        case .daemonStopped: advance(.daemonStopped, at: now)
        }
    }

    // MARK: The dialogue

    /// Passes an event to the dialogue; shows what it asks then.
    private mutating func advance(_ event: PairingDialogue.Event, at now: Duration) -> [Action] {
        let last = dialogue.phase
        let actions = dialogue.handle(event, at: now).map(Self.action)
        guard event != .shown, dialogue.phase != last, let question = Self.notification(of: dialogue.phase) else {
            return actions
        }
        // The daemon is asked once the user sees that it is.
        return actions.filter { $0 != .request } + [.show(question)] + actions.filter { $0 == .request }
    }

    private static func action(_ action: PairingDialogue.Action) -> Action {
        switch action {
        case .request: .request
        case .stop: .stop
        case .answer(let question, let answer): .answer(question, answer)
        // Servers may have closed the notification: it comes again when it can be answered.
        case .wait(let time): .wake(time)
        case .end(let ending): message(about: ending).map(Action.show) ?? .close
        }
    }

    private mutating func begin(_ server: Server, at now: Duration) -> [Action] {
        guard dialogue.phase == .idle else { return showAgain(at: now) }
        switch server {
        case .absent: return [.tell("There are no notifications here. \(Self.advice)")]
        case .withoutButtons:
            let sentence = "Notifications have no buttons here. \(Self.advice)"
            return [.tell(sentence), .show(Self.message("Pair a device", sentence))]
        case .able: return advance(.begin, at: now)
        }
    }

    /// Shows what is asked in another place, where it may come under a pointer that was about to press something else.
    private mutating func showAgain(at now: Duration) -> [Action] {
        _ = dialogue.handle(.hidden, at: now)
        return Self.notification(of: dialogue.phase).map { [.show($0)] } ?? []
    }

    /// Shows the digits again where they are still: they can be confirmed now.
    private func remind() -> [Action] {
        guard case .comparing = dialogue.phase else { return [] }
        return Self.notification(of: dialogue.phase).map { [.show($0)] } ?? []
    }

    private mutating func change(_ server: Server, at now: Duration) -> [Action] {
        switch (dialogue.phase, server) {
        case (.idle, _), (_, .absent): return []
        case (_, .able): return showAgain(at: now)
        case (.confirmed, .withoutButtons), (.stopping, .withoutButtons): return []
        case (_, .withoutButtons):
            return [.tell("Notifications have no buttons any more. \(Self.advice)")] + advance(.stop, at: now)
        }
    }

    /// Returns what a button means; nil for one that is not there.
    private static func meaning(of key: String, in phase: PairingDialogue.Phase) -> PairingDialogue.Event? {
        switch (phase, key) {
        case (.searching, "stop"), (.choosing, "stop"): return .stop
        case (.choosing(let candidates, let question), _):
            return candidates.first { self.key(of: $0) == key }.map { .chosen($0.number, question) }
        case (.comparing(_, let question), _):
            guard let areSame = PairingDialogue.offeredAnswers.first(where: { self.key(of: $0) == key }) else {
                return nil
            }
            return .compared(areSame: areSame, question)
        default: return nil
        }
    }

    // MARK: Notifications

    /// Returns what is asked or told in a phase; nil for nothing.
    private static func notification(of phase: PairingDialogue.Phase) -> DesktopNotification? {
        switch phase {
        case .idle, .stopping: nil
        case .searching: search
        case .choosing(let candidates, _): choice(candidates)
        case .comparing(let comparison, _): self.comparison(comparison.digits.filter(\.isNumber), comparison.name)
        case .confirmed(let name): wait(for: name)
        }
    }

    /// Returns what is told of an end; nil where the user knows it.
    private static func message(about ending: PairingDialogue.Ending) -> DesktopNotification? {
        switch ending {
        case .paired(_, let name): message("Paired with \(name.shown)", "The two devices now trust each other.")
        case .stopped: nil
        // Who has said that the digits differ may be under attack.
        case .denied(let failure), .failed(let failure): message("Not paired", failure.message.shownSentence)
        case .unconfirmed(let failure): message("The other device has not answered", failure.message.shownSentence)
        case .refused(let message): self.message("Pairing did not begin", message.shownSentence)
        case .lost: message("Pairing has ended", "handoffd has stopped. Start it and try again.")
        }
    }

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
            actions: zip(shown, candidates.titles(label)).map { candidate, title in
                let label = title.name + (title.id.map { " (\($0.shown))" } ?? "")
                return DesktopNotification.Action(key(of: candidate), label)
            } + [DesktopNotification.Action("stop", "Stop")],
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
            actions: PairingDialogue.offeredAnswers.map {
                DesktopNotification.Action(key(of: $0), $0 ? "They match" : "They do not match")
            },
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

    private static func key(of areSame: Bool) -> String { areSame ? "match" : "differ" }

    /// The name of a device on a button, without `&`, `<` and `>`: the specification does not say whether a label is
    /// markup, and servers differ.
    private static func label(_ name: String) -> String {
        name.shown.unicodeScalars.reduce(into: "") { result, scalar in
            result.unicodeScalars.append(["&", "<", ">"].contains(scalar) ? "·" : scalar)
        }
    }
}
