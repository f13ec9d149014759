import HandoffBus
import HandoffClient
import HandoffDesktop
import Testing
import TestLimits

@Suite("Pairing by notifications", .endsWithin(minutes: 10))
struct PairingPromptTests {
    private static let start = Duration.seconds(100)
    private static let later = Duration.seconds(110)

    /// The daemon asks about digits.
    private static func digits(_ question: UInt64, _ digits: String, _ name: String) -> PairingPrompt.Event {
        .call(.digits(digits, name: name, device: "00000000000000bb", question))
    }

    /// A prompt that shows digits since `start`.
    private func comparing() -> PairingPrompt {
        var prompt = PairingPrompt()
        _ = prompt.handle(.pair(.able), at: Self.start)
        _ = prompt.handle(Self.digits(1, "123456", "laptop"), at: Self.start)
        _ = prompt.handle(.shown, at: Self.start)
        return prompt
    }

    private func shown(_ actions: [PairingPrompt.Action]) -> DesktopNotification? {
        for case .show(let notification) in actions { return notification }
        return nil
    }

    @Test("The digits are in a critical notification that stays, whose first button is not the yes")
    func digits() throws {
        var prompt = PairingPrompt()
        let begin = prompt.handle(.pair(.able), at: Self.start)
        #expect(begin.last == .request && shown(begin)?.actions.map(\.key) == ["stop"])
        #expect(prompt.menu == .searching)
        let actions = prompt.handle(Self.digits(1, "123456", "lap\ntop"), at: Self.start)
        let notification = try #require(shown(actions))
        #expect(notification.summary == "123 456" && notification.body.hasPrefix("Does lap·top show the same digits?"))
        #expect(notification.urgency == .critical && notification.isResident && notification.isPersistent)
        #expect(notification.actions.map(\.key) == ["differ", "match"])
        #expect(notification.actions.map(\.label) == ["They do not match", "They match"])
        #expect(prompt.menu == .comparing)
    }

    @Test("Nothing but the button for yes confirms", arguments: ["default", "", "stop", "device-1", "Match", "open"])
    func neither(_ key: String) {
        var prompt = comparing()
        #expect(prompt.handle(.pressed(key), at: Self.later).isEmpty && prompt.menu == .comparing)
    }

    @Test("Yes confirms and waits for the other device; no denies")
    func answers() {
        var yes = comparing()
        let actions = yes.handle(.pressed("match"), at: Self.later)
        #expect(actions.first == .answer(1, .areSame(true)))
        #expect(shown(actions)?.summary == "Waiting for the answer on laptop")
        #expect(yes.menu == .confirmed("laptop"))
        #expect(yes.handle(.pressed("match"), at: Self.later).isEmpty, "the second press is none")
        var no = comparing()
        #expect(no.handle(.pressed("differ"), at: Self.later) == [.answer(1, .areSame(false))])
        #expect(no.handle(.pressed("match"), at: Self.later).isEmpty)
        let end = no.handle(
            .call(.failed(PairingFailure(.userCancelled, "They differ: this may be an attack."))),
            at: Self.later
        )
        #expect(shown(end)?.body == "They differ: this may be an attack.")
    }

    @Test("A yes in the first second does not count; the digits are shown again after it")
    func early() throws {
        var prompt = comparing()
        let early = Self.start + .milliseconds(300)
        #expect(prompt.handle(.pressed("match"), at: early) == [.wake(.milliseconds(700))])
        #expect(prompt.menu == .comparing)
        let second = Self.start + .seconds(1)
        var closed = prompt
        #expect(shown(prompt.handle(.alarm(isShown: true), at: second))?.summary == "123 456")
        #expect(prompt.handle(.pressed("match"), at: second).first == .answer(1, .areSame(true)))
        #expect(shown(closed.handle(.alarm(isShown: false), at: second))?.summary == "123 456")
        _ = closed.handle(.shown, at: second)
        #expect(closed.handle(.pressed("match"), at: second) == [.wake(PairingDialogue.readingTime)])
        #expect(closed.handle(.pressed("match"), at: second + .seconds(1)).first == .answer(1, .areSame(true)))
    }

    @Test("Digits that appear again under the pointer are not confirmed by a press that was meant for something else")
    func reappearing() {
        for event in [PairingPrompt.Event.showDigits, .serverChanged(.able)] {
            var prompt = comparing()
            #expect(shown(prompt.handle(event, at: Self.later))?.summary == "123 456")
            #expect(prompt.handle(.pressed("match"), at: Self.later) == [.wake(PairingDialogue.readingTime)])
            _ = prompt.handle(.shown, at: Self.later)
            let early = Self.later + .milliseconds(999)
            #expect(prompt.handle(.pressed("match"), at: early) == [.wake(.milliseconds(1))])
            #expect(prompt.handle(.pressed("match"), at: Self.later + .seconds(1)).first == .answer(1, .areSame(true)))
        }
    }

    @Test("What no server has shown is told in the menu, and the pairing goes on")
    func notShown() {
        var prompt = PairingPrompt()
        #expect(prompt.handle(.notShown, at: Self.start).isEmpty)
        prompt = comparing()
        let actions = prompt.handle(.notShown, at: Self.later)
        let told = actions.contains {
            if case .tell(let text) = $0 { text.contains("`handoffctl pair`") } else { false }
        }
        #expect(told && prompt.menu == .comparing)
    }

    @Test("A yes before the server has shown the digits does not count")
    func unseen() {
        var prompt = PairingPrompt()
        _ = prompt.handle(.pair(.able), at: Self.start)
        _ = prompt.handle(Self.digits(1, "123456", "laptop"), at: Self.start)
        #expect(prompt.handle(.pressed("match"), at: Self.later) == [.wake(PairingDialogue.readingTime)])
    }

    @Test("Digits that were closed can be shown again from the menu, and still be confirmed")
    func again() {
        var prompt = comparing()
        #expect(shown(prompt.handle(.showDigits, at: Self.later))?.summary == "123 456")
        _ = prompt.handle(.shown, at: Self.later)
        #expect(prompt.handle(.pressed("match"), at: Self.later + .seconds(1)).first == .answer(1, .areSame(true)))
    }

    @Test("New digits after a lost connection are a new question, which the old time does not help to confirm")
    func newDigits() {
        var prompt = comparing()
        #expect(
            shown(prompt.handle(.call(.cancelled("The connection was lost.")), at: Self.later))?.summary
                == "Pair a device"
        )
        #expect(prompt.handle(.pressed("match"), at: Self.later).isEmpty)
        _ = prompt.handle(Self.digits(2, "654321", "laptop"), at: Self.later)
        _ = prompt.handle(.shown, at: Self.later)
        #expect(prompt.handle(.pressed("match"), at: Self.later) == [.wake(PairingDialogue.readingTime)])
        let actions = prompt.handle(.pressed("match"), at: Self.later + .seconds(1))
        #expect(actions.first == .answer(2, .areSame(true)))
    }

    @Test("Several devices have a button each, with the first digits of the id where names are equal")
    func choice() throws {
        var prompt = PairingPrompt()
        _ = prompt.handle(.pair(.able), at: Self.start)
        let candidates = (1...7).map {
            PairingCandidate(number: $0, name: $0 < 3 ? "laptop" : "d\($0)", device: "\($0)123456789abcdef")
        }
        let notification = try #require(shown(prompt.handle(.call(.choice(candidates, 1)), at: Self.start)))
        #expect(
            notification.actions.map(\.label) == [
                "laptop (11234567)", "laptop (21234567)", "d3", "d4", "d5", "Stop",
            ]
        )
        #expect(notification.body.contains("2 more are ready"))
        #expect(prompt.handle(.pressed("device-9"), at: Self.later).isEmpty)
        #expect(prompt.handle(.pressed("device-2"), at: Self.later).first == .answer(1, .device(2)))
    }

    @Test("A device's name on a button is no markup")
    func markup() throws {
        var prompt = PairingPrompt()
        _ = prompt.handle(.pair(.able), at: Self.start)
        let names = ["<b>&\u{301}x", "<\u{301}i>"]
        let candidates = names.enumerated().map {
            PairingCandidate(number: UInt64($0.offset), name: $0.element, device: "0123456789abcdef")
        }
        let notification = try #require(shown(prompt.handle(.call(.choice(candidates, 1)), at: Self.start)))
        #expect(notification.actions.map(\.label) == ["·b··\u{301}x", "·\u{301}i·", "Stop"])
    }

    @Test(
        "Without buttons or notifications nothing begins, and the user is told what to do instead",
        arguments: [PairingPrompt.Server.absent, .withoutButtons]
    )
    func unable(_ server: PairingPrompt.Server) {
        var prompt = PairingPrompt()
        let actions = prompt.handle(.pair(server), at: Self.start)
        #expect(!actions.contains(.request) && prompt.menu == .idle)
        let told = actions.contains {
            if case .tell(let text) = $0 { text.contains("`handoffctl pair`") } else { false }
        }
        #expect(told)
        #expect((shown(actions) != nil) == (server == .withoutButtons))
    }

    @Test("Every end is told: the outcome, a failure, a daemon that has stopped")
    func ends() {
        var prompt = comparing()
        #expect(
            shown(prompt.handle(.call(.paired(device: "00000000000000bb", name: "laptop")), at: Self.later))?.summary
                == "Paired with laptop"
        )
        #expect(prompt.menu == .idle)
        prompt = comparing()
        var actions = prompt.handle(.call(.failed(PairingFailure(.timedOut, "No answer came."))), at: Self.later)
        #expect(actions.first == .answer(1, .withdrawn) && shown(actions)?.body == "No answer came.")
        prompt = comparing()
        actions = prompt.handle(.call(.failed(PairingFailure(.unconfirmed, "It is not known."))), at: Self.later)
        #expect(shown(actions)?.summary == "The other device has not answered")
        prompt = comparing()
        actions = prompt.handle(.daemonStopped, at: Self.later)
        #expect(actions.first == .answer(1, .withdrawn) && shown(actions)?.summary == "Pairing has ended")
        #expect(prompt.handle(.daemonStopped, at: Self.later).isEmpty)
        prompt = PairingPrompt()
        _ = prompt.handle(.pair(.able), at: Self.start)
        actions = prompt.handle(.refused("Another one is active."), at: Self.start)
        #expect(shown(actions)?.body == "Another one is active." && prompt.menu == .idle)
    }

    @Test("The user stops: the daemon is asked to, and its answer closes the notification")
    func stop() {
        var prompt = comparing()
        #expect(prompt.handle(.stop, at: Self.later) == [.answer(1, .withdrawn), .stop])
        #expect(prompt.handle(.pressed("match"), at: Self.later).isEmpty, "a late press is none")
        #expect(
            prompt.handle(.call(.failed(PairingFailure(.userCancelled, "Stopped."))), at: Self.later).contains(.close)
        )
        #expect(prompt.menu == .idle)
        #expect(prompt.handle(.stop, at: Self.later).isEmpty)
    }

    @Test("A server that comes back shows the question again; one without buttons ends the pairing")
    func servers() {
        var prompt = comparing()
        #expect(prompt.handle(.serverChanged(.absent), at: Self.later).isEmpty)
        #expect(shown(prompt.handle(.serverChanged(.able), at: Self.later))?.summary == "123 456")
        let actions = prompt.handle(.serverChanged(.withoutButtons), at: Self.later)
        #expect(actions.suffix(2) == [.answer(1, .withdrawn), .stop])
    }
}
