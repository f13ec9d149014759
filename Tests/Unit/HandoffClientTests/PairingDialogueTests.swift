import HandoffBus
import HandoffClient
import TestLimits
import Testing

@Suite("The dialogue of a pairing", .endsWithin(minutes: 5))
struct PairingDialogueTests {
    private static let device = "00000000000000bb"
    private static let start = Duration.seconds(100)

    private static func digits(_ question: UInt64) -> PairingDialogue.Event {
        .call(.digits("123456", name: "desk", device: device, question))
    }

    private static func failed(_ name: HandoffErrorName) -> PairingDialogue.Event {
        .call(.failed(PairingFailure(name, "A sentence.")))
    }

    /// A dialogue that shows the digits of question 1 since `start`.
    private static func comparing() -> PairingDialogue {
        var dialogue = PairingDialogue(.searching)
        _ = dialogue.handle(digits(1), at: start)
        _ = dialogue.handle(.shown, at: start)
        return dialogue
    }

    @Test("After every order of events, nothing but a yes to digits that were shown for a second has said yes")
    func everyOrder() {
        var states: Set<PairingWorld> = [PairingWorld()]
        for _ in 0..<PairingWorld.steps {
            var next: Set<PairingWorld> = []
            for state in states {
                for step in state.possibleSteps {
                    var state = state
                    if let fault = state.take(step) {
                        Issue.record("\(fault), after \(step) in \(state)")
                        return
                    }
                    next.insert(state)
                }
            }
            states = next
        }
        #expect(states.contains { $0.hasSaidYes }, "some order leads to a yes")
    }

    @Test("A yes counts a second after the digits appeared, and the dialogue tells how long that still is")
    func readingTime() {
        var dialogue = Self.comparing()
        let early = Self.start + .milliseconds(300)
        let yes = PairingDialogue.Event.compared(areSame: true, 1)
        #expect(dialogue.handle(yes, at: early) == [.wait(.milliseconds(700))])
        #expect(dialogue.handle(yes, at: Self.start - .seconds(1)) == [.wait(.seconds(1))], "a clock that was set back")
        #expect(dialogue.handle(yes, at: Self.start + .seconds(1)) == [.answer(1, .areSame(true))])
        #expect(dialogue.phase == .confirmed(name: "desk"))
        #expect(dialogue.handle(yes, at: Self.start + .seconds(9)).isEmpty, "the second yes is none")
    }

    @Test("Digits that are not on the screen cannot be confirmed, and those that come back are read anew")
    func hidden() {
        var dialogue = Self.comparing()
        let yes = PairingDialogue.Event.compared(areSame: true, 1)
        _ = dialogue.handle(.hidden, at: Self.start)
        #expect(dialogue.handle(yes, at: Self.start + .seconds(5)) == [.wait(PairingDialogue.readingTime)])
        _ = dialogue.handle(.shown, at: Self.start + .seconds(6))
        _ = dialogue.handle(.shown, at: Self.start + .seconds(7))
        #expect(dialogue.handle(yes, at: Self.start + .seconds(7)) == [.answer(1, .areSame(true))])
    }

    @Test("A no counts at once")
    func differ() {
        var dialogue = Self.comparing()
        #expect(dialogue.handle(.compared(areSame: false, 1), at: Self.start) == [.answer(1, .areSame(false))])
        #expect(dialogue.phase == .stopping(.denied))
    }

    @Test("The first answer that is offered is not the yes")
    func order() {
        #expect(PairingDialogue.offeredAnswers == [false, true])
    }

    @Test("A person who has left says no to digits, and to nothing else")
    func left() {
        var comparing = Self.comparing()
        #expect(comparing.handle(.left, at: Self.start) == [.answer(1, .areSame(false))])
        var searching = PairingDialogue(.searching)
        #expect(searching.handle(.left, at: Self.start) == [.stop])
        #expect(searching.handle(Self.digits(2), at: Self.start) == [.answer(2, .areSame(false))])
    }

    @Test("The end says who has ended it, and what is known")
    func endings() throws {
        func failure(_ name: HandoffErrorName) -> PairingFailure { PairingFailure(name, "A sentence.") }
        func end(_ dialogue: PairingDialogue, _ events: PairingDialogue.Event...) -> PairingDialogue.Ending? {
            var (dialogue, ending) = (dialogue, PairingDialogue.Ending?.none)
            for event in events {
                for case .end(let next) in dialogue.handle(event, at: Self.start + .seconds(2)) { ending = next }
            }
            return ending
        }
        let paired = PairingDialogue.Event.call(.paired(device: Self.device, name: "desk"))
        let (yes, no) = (
            PairingDialogue.Event.compared(areSame: true, 1), PairingDialogue.Event.compared(areSame: false, 1)
        )
        #expect(end(Self.comparing(), yes, paired) == .paired(device: Self.device, name: "desk"))
        #expect(end(Self.comparing(), no, Self.failed(.userCancelled)) == .denied(failure(.userCancelled)))
        #expect(end(Self.comparing(), .stop, Self.failed(.userCancelled)) == .stopped(failure(.userCancelled)))
        #expect(end(Self.comparing(), yes, .stop, Self.failed(.unconfirmed)) == .unconfirmed(failure(.unconfirmed)))
        // The one at the other device has stopped it.
        #expect(end(Self.comparing(), Self.failed(.userCancelled)) == .failed(failure(.userCancelled)))
        #expect(end(Self.comparing(), .daemonStopped) == .lost)
        #expect(
            end(PairingDialogue(), .begin, .refused("Another one is active.")) == .refused("Another one is active.")
        )
        #expect(end(PairingDialogue(), Self.failed(.timedOut)) == nil)
    }

    @Test("A request that is stopped before the daemon has begun is stopped when it has")
    func stoppedEarly() {
        var dialogue = PairingDialogue()
        #expect(dialogue.handle(.begin, at: Self.start) == [.request])
        #expect(dialogue.handle(.begin, at: Self.start).isEmpty, "one at a time")
        #expect(dialogue.handle(.stop, at: Self.start) == [.stop])
        #expect(dialogue.handle(.begun, at: Self.start) == [.stop])
    }

    @Test("Devices of one name are told apart by the first digits of their ids, others by their names")
    func titles() {
        func titles(_ devices: (name: String, id: String)...) -> [String] {
            let candidates = devices.enumerated().map {
                PairingCandidate(number: UInt64($0.offset), name: $0.element.name, device: $0.element.id)
            }
            return candidates.titles { $0.lowercased() }.map { $0.name + ($0.id ?? "") }
        }
        let three = titles(("laptop", "0123456789abcdef"), ("desk", "11111111"), ("laptop", "fedcba9876543210"))
        #expect(three == ["laptop01234567", "desk", "laptopfedcba98"])
        #expect(titles(("A", "0000000000"), ("a", "2222222222")) == ["a00000000", "a22222222"], "as they are shown")
    }
}

/// A dialogue, and what its program and a person would know of it.
private struct PairingWorld: Hashable {
    enum Step: Hashable {
        case event(PairingDialogue.Event)
        case time(Duration)
    }

    /// The most steps that are tried one after the other.
    static let steps = 6
    private static let name = "desk"
    private static let half = PairingDialogue.readingTime / 2

    private(set) var hasSaidYes = false
    private var dialogue = PairingDialogue()
    private var now = Duration.zero
    /// The questions that the daemon has asked, by number.
    private var asked: UInt64 = 0
    private var unanswered: Set<UInt64> = []
    /// The digits that were asked about last, and since when they are on the screen.
    private var digits: UInt64?
    private var shown: Duration?

    var possibleSteps: [Step] {
        let next = asked + 1
        let candidate = PairingCandidate(number: 5, name: Self.name, device: "aa")
        let calls: [PairingCall] = [
            .choice([candidate], next), .digits("123456", name: Self.name, device: "aa", next), .cancelled(""),
            .paired(device: "aa", name: Self.name), .failed(PairingFailure(.userCancelled, "")),
            .failed(PairingFailure(.unconfirmed, "")), .failed(PairingFailure(.timedOut, "")),
        ]
        let events: [PairingDialogue.Event] = [
            .begin, .begun, .refused(""), .shown, .hidden, .chosen(5, asked), .chosen(6, asked),
            .compared(areSame: true, asked), .compared(areSame: false, asked), .unanswerable, .stop, .left,
            .daemonStopped,
        ]
        // A number that stands for no question before the first one.
        let late: [PairingDialogue.Event] = asked > 1 ? [.compared(areSame: true, asked - 1)] : []
        return (events + late + calls.map { .call($0) }).map(Step.event) + [.time(Self.half)]
    }

    /// Takes a step; returns what is wrong afterwards, nil for nothing.
    mutating func take(_ step: Step) -> String? {
        switch step {
        case .time(let time): now += time
        case .event(let event):
            note(event)
            let last = dialogue.phase
            for action in dialogue.handle(event, at: now) {
                if let fault = check(action, after: event, in: last) { return fault }
            }
        }
        return unanswered == Set([openQuestion].compactMap(\.self)) ? nil : "a question is open that nobody asks"
    }

    private mutating func note(_ event: PairingDialogue.Event) {
        switch event {
        case .call(.choice(_, let question)): (asked, shown) = (question, nil)
        case .call(.digits(_, _, _, let question)): (asked, digits, shown) = (question, question, nil)
        case .shown: shown = shown ?? now
        case .hidden: shown = nil
        default: break
        }
        if case .call(.choice(_, let question)) = event { unanswered.insert(question) }
        if case .call(.digits(_, _, _, let question)) = event { unanswered.insert(question) }
    }

    private mutating func check(
        _ action: PairingDialogue.Action,
        after event: PairingDialogue.Event,
        in last: PairingDialogue.Phase
    ) -> String? {
        switch action {
        case .request: return event == .begin && last == .idle ? nil : "an unasked request"
        case .stop: return last == .idle && event != .begun ? "a stop of nothing" : nil
        case .wait(let time): return time > .zero && time <= PairingDialogue.readingTime ? nil : "a wait of \(time)"
        case .end: return dialogue.phase == .idle ? nil : "an end that is none"
        case .answer(let question, let answer):
            guard unanswered.remove(question) != nil else { return "a second answer" }
            guard answer == .areSame(true) else { return nil }
            hasSaidYes = true
            let isMeant = event == .compared(areSame: true, question) && digits == question
            let isRead = shown.map { now - $0 >= PairingDialogue.readingTime } ?? false
            return isMeant && isRead ? nil : "a yes that nobody has meant"
        }
    }

    private var openQuestion: UInt64? {
        switch dialogue.phase {
        case .choosing(_, let question), .comparing(_, let question): question
        case .idle, .searching, .confirmed, .stopping: nil
        }
    }
}
