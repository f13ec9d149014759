import HandoffBus
import HandoffClient
import HandoffWindow
import TestLimits
import Testing

@Suite("Pairing in the window", .endsWithin(minutes: 5))
struct PairingPageTests {
    private static let digits = DaemonEvent.pairing(
        .digits("123456", name: "desk", device: "00000000000000bb", 7)
    )

    /// When the digits could have been read.
    private static let later = Fixture.now + 1_000_000

    private static func searching() -> Fixture {
        var window = Fixture()
        window.user(.pair)
        return window
    }

    private static func comparing() -> Fixture {
        var window = searching()
        window.daemon(digits)
        return window
    }

    @Test("A search, the digits, yes, and the end")
    func pairs() {
        var window = Fixture()
        #expect(window.user(.pair) == [.pair])
        #expect(window.model.view.shows == .pair && window.page(.pair).message?.isBusy == true)
        #expect(window.user(.pair).isEmpty, "one search at a time")
        window.daemon(Self.digits)
        #expect(window.page(.pair).message?.digits == "123456")
        #expect(window.page(.pair).message?.title == "Does \u{2068}desk\u{2069} show the same digits?")
        #expect(window.user(.compared(areSame: true, 7), at: Self.later) == [.answer(7, .areSame(true))])
        #expect(window.page(.pair).message?.isBusy == true)
        window.daemon(.pairing(.paired(device: "00000000000000bb", name: "desk")))
        #expect(window.page(.pair).message?.title == "Paired with \u{2068}desk\u{2069}")
        window.user(.leavePairing)
        #expect(window.page(.pair).message?.buttons.map(\.event) == [.pair])
    }

    @Test("Yes is neither the first button nor a suggested one, and the page comes to the front")
    func yes() {
        var window = Self.searching()
        window.user(.showed(.rules))
        window.daemon(Self.digits)
        #expect(window.model.view.shows == .pair && window.model.view.calling == [.pair])
        let buttons = window.page(.pair).message?.buttons ?? []
        #expect(buttons.map(\.event) == [.compared(areSame: false, 7), .compared(areSame: true, 7)])
        #expect(buttons.allSatisfy { $0.style == .normal })
        #expect(buttons.map(\.isDeliberate) == [false, true], "yes cannot be pressed at once")
    }

    @Test(
        "Nothing but the answer to the shown digits says yes",
        arguments: [
            UserEvent.pair, .leavePairing, .showed(.nearby), .focused(true), .retry, .choose(7, 7), .resume, .examine,
            .answer(QuestionAnswer(to: 0, response: "open")), .stopPairing, .closed, .compared(areSame: false, 7),
        ]
    )
    func neverByAccident(event: UserEvent) {
        var window = Self.comparing()
        let actions = window.user(event)
        #expect(!actions.contains(.answer(7, .areSame(true))))
    }

    @Test("Yes in the first second, which was meant for something else, is no answer")
    func hasty() {
        var window = Self.comparing()
        #expect(window.user(.compared(areSame: true, 7)).isEmpty)
        #expect(window.user(.compared(areSame: true, 7), at: Self.later - 1).isEmpty)
        #expect(window.page(.pair).message?.digits == "123456")
        #expect(window.user(.compared(areSame: true, 7), at: Self.later) == [.answer(7, .areSame(true))])
    }

    @Test("Yes to digits in whose place others have come is no answer, and neither is a no")
    func replaced() {
        var window = Self.comparing()
        window.daemon(.pairing(.digits("654321", name: "desk", device: "00000000000000bb", 8)))
        #expect(window.user(.compared(areSame: true, 7), at: Self.later).isEmpty)
        #expect(window.user(.compared(areSame: false, 7)).isEmpty)
        #expect(window.page(.pair).message?.digits == "654321")
        #expect(window.user(.compared(areSame: true, 8), at: Self.later) == [.answer(8, .areSame(true))])
    }

    @Test("Yes before there are digits, or after their end, is no answer")
    func early() {
        var window = Self.searching()
        #expect(window.user(.compared(areSame: true, 7), at: Self.later).isEmpty)
        window.daemon(Self.digits)
        window.daemon(.pairing(.cancelled("The connection was lost.")))
        #expect(window.user(.compared(areSame: true, 7), at: Self.later).isEmpty)
        #expect(window.page(.pair).message?.isBusy == true, "it goes on looking")
    }

    @Test("Closing the window while the digits are shown means no, and at another time ends the search")
    func closing() {
        var comparing = Self.comparing()
        #expect(comparing.user(.closed) == [.answer(7, .areSame(false))])
        #expect(comparing.model.isClosed)
        var searching = Self.searching()
        #expect(searching.user(.closed) == [.stopPairing])
        var waiting = Self.comparing()
        waiting.user(.compared(areSame: true, 7), at: Self.later)
        #expect(waiting.user(.closed) == [.stopPairing])
        var idle = Fixture()
        #expect(idle.user(.closed).isEmpty)
    }

    @Test("Digits that come after the person has stopped are answered with no")
    func late() {
        var window = Self.searching()
        #expect(window.user(.stopPairing) == [.stopPairing])
        #expect(window.daemon(Self.digits) == [.answer(7, .areSame(false))])
        window.daemon(.pairing(.failed(PairingFailure(.userCancelled, "You have stopped it."))))
        #expect(window.page(.pair).message?.title == "Pair another device", "the person knows that it was stopped")
    }

    @Test("A person who stops before the daemon has begun is heard when it has")
    func quick() {
        var window = Self.searching()
        #expect(window.daemon(.pairingBegan).isEmpty)
        window.user(.stopPairing)
        #expect(window.daemon(.pairingBegan) == [.stopPairing])
        #expect(window.page(.pair).message?.title == "Stopping …")
        window.daemon(.failed(.pair, CallFailure(.limitReached, "Another program is pairing.")))
        #expect(window.page(.pair).message?.title == "Pair another device")
    }

    @Test("Of several devices the person chooses one; those of one name show their ids")
    func choice() {
        var window = Self.searching()
        let candidates = [("desk", "aaaaaaaaaaaaaaaa"), ("desk", "bbbbbbbbbbbbbbbb"), ("phone", "cccccccccccccccc")]
            .enumerated().map { PairingCandidate(number: UInt64($0), name: $1.0, device: $1.1) }
        window.daemon(.pairing(.choice(candidates, 3)))
        #expect(window.rows(.pair).map(\.title) == ["desk", "desk", "phone"])
        #expect(window.rows(.pair).map(\.text) == ["aaaaaaaa", "bbbbbbbb", ""])
        #expect(window.user(.choose(9, 3)).isEmpty, "there is no such number")
        #expect(window.user(.choose(1, 2)).isEmpty, "these are not the candidates that were shown")
        #expect(window.user(.choose(1, 3)) == [.answer(3, .device(1))])
        #expect(window.page(.pair).message?.isBusy == true)
    }

    @Test("A daemon that stops, and one that refuses, end the pairing with the reason")
    func failures() {
        var lost = Self.comparing()
        lost.daemon(.absent(nil))
        lost.daemon(.state(Fixture.state()))
        #expect(lost.page(.pair).message?.text == "handoffd has stopped, which ended the pairing.")
        #expect(lost.user(.compared(areSame: true, 7), at: Self.later).isEmpty)
        var refused = Self.searching()
        refused.daemon(.failed(.pair, CallFailure(.limitReached, "Another program is pairing.")))
        #expect(refused.page(.pair).message?.text == "Another program is pairing.")
        #expect(refused.page(.pair).message?.buttons.map(\.event) == [.pair, .leavePairing])
    }

    @Test("Where the other side's answer is unknown, the page says so and does not offer to try again")
    func doubt() {
        var window = Self.comparing()
        window.user(.compared(areSame: true, 7), at: Self.later)
        window.daemon(.pairing(.failed(PairingFailure(.unconfirmed, "desk has not answered."))))
        #expect(window.page(.pair).message?.title == "Not confirmed yet")
        #expect(window.page(.pair).message?.buttons.map(\.event) == [.leavePairing])
    }
}
