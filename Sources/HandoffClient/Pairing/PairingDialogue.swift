package import HandoffBus

/// The dialogue with a person who pairs this device with another one: what is asked when, and what an answer means.
///
/// It has no clock, bus, words or widgets; every program that pairs has one. Nothing but the person's own yes, given a
/// second after the digits were shown, says yes to the daemon: every other end means no.
package struct PairingDialogue: Hashable, Sendable {
    package typealias QuestionID = PairingCall.QuestionID

    /// How far the pairing has come.
    package enum Phase: Hashable, Sendable {
        /// No pairing is in progress.
        case idle
        /// The daemon looks for another device.
        case searching
        case choosing([PairingCandidate], QuestionID)
        case comparing(Comparison, QuestionID)
        /// The person here has said yes; the one at the device of that name decides.
        case confirmed(name: String)
        /// The person here has ended it, and the daemon has not told so yet.
        case stopping(Stop)
    }

    /// Digits that are to be compared.
    package struct Comparison: Hashable, Sendable {
        package let digits: String
        /// The name of the other device.
        package let name: String
        /// The id of the other device.
        package let device: String
        /// The time since which the digits are on the screen; nil while they are not.
        fileprivate var shown: Duration?
    }

    /// What the person had said when they ended the pairing.
    package enum Stop: Hashable, Sendable {
        /// Nothing about the digits.
        case undecided
        /// The digits differ.
        case denied
        /// The digits are the same; the one at the device of that name may still say so, too.
        case confirmed(name: String)
    }

    package enum Event: Hashable, Sendable {
        /// The person wants to pair.
        case begin
        /// The daemon has begun to look for another device.
        case begun
        /// The daemon does not begin; why.
        case refused(String)
        /// The daemon has called the agent of this program.
        case call(PairingCall)
        /// What is asked is on the screen.
        case shown
        /// What was asked is not on the screen any more, or is shown in another place.
        case hidden
        /// The person has chosen the device of that number, of those that the question offers.
        case chosen(UInt64, QuestionID)
        /// The person has said whether both devices show the digits of the question.
        case compared(areSame: Bool, QuestionID)
        /// The person cannot answer the open question.
        case unanswerable
        /// The person wants to stop.
        case stop
        /// The person has left: an open question about digits is answered with no.
        case left
        /// The daemon has stopped, and the pairing with it.
        case daemonStopped
    }

    package enum Action: Hashable, Sendable {
        /// Asks the daemon to look for another device.
        case request
        /// Asks the daemon to stop.
        case stop
        case answer(QuestionID, PairingAnswer)
        /// Nothing was answered: the digits have not been shown for long enough, and can be confirmed after that time.
        case wait(Duration)
        /// The pairing has ended.
        case end(Ending)
    }

    /// How a pairing has ended.
    package enum Ending: Hashable, Sendable {
        /// The devices trust each other.
        case paired(device: String, name: String)
        /// The person here has stopped it.
        case stopped(PairingFailure)
        /// The person here has said that the digits differ.
        case denied(PairingFailure)
        /// Nothing was paired.
        case failed(PairingFailure)
        /// The person here has said yes, and nobody here knows what the one there has said.
        case unconfirmed(PairingFailure)
        /// It did not begin; why.
        case refused(String)
        /// The daemon has stopped.
        case lost
    }

    /// How long digits have to be shown before they can be confirmed: a key or a click that comes earlier was meant for
    /// something else, and nobody compares six digits faster.
    package static let readingTime = Duration.seconds(1)
    /// The answers in the order in which a program offers them: what keys and habits press first is not the yes.
    package static let offeredAnswers = [false, true]

    package private(set) var phase: Phase

    /// - Parameter phase: how far the pairing has come already.
    package init(_ phase: Phase = .idle) {
        self.phase = phase
    }

    /// Whether a person has to do something.
    package var needsPerson: Bool {
        switch phase {
        case .choosing, .comparing: true
        case .idle, .searching, .confirmed, .stopping: false
        }
    }

    /// Handles an event.
    ///
    /// - Parameters:
    ///   - event: what has happened.
    ///   - now: the time since some fixed moment.
    /// - Returns: what has to be done, in this order.
    package mutating func handle(_ event: Event, at now: Duration) -> [Action] {
        switch event {
        case .begin: begin()
        case .begun: isAsking ? [] : [.stop]
        case .refused(let message): refuse(message)
        case .call(let call): take(call)
        case .shown: show(at: now)
        case .hidden: hide()
        case .chosen(let number, let question): choose(number, question)
        case .compared(let areSame, let question): compare(areSame, question, at: now)
        case .unanswerable: needsPerson ? search() : []
        case .stop: stop()
        case .left: leave()
        case .daemonStopped: phase == .idle ? [] : end(.lost)
        }
    }

    // MARK: Beginning and ending

    private mutating func begin() -> [Action] {
        guard phase == .idle else { return [] }
        phase = .searching
        return [.request]
    }

    private mutating func refuse(_ message: String) -> [Action] {
        switch phase {
        case .searching: end(.refused(message))
        case .stopping: end(.stopped(PairingFailure(.userCancelled, message)))
        // It has begun, whatever the answer to the request was.
        case .idle, .choosing, .comparing, .confirmed: []
        }
    }

    private mutating func stop() -> [Action] {
        let last = withdrawal
        switch phase {
        case .idle, .stopping: return []
        case .searching, .choosing, .comparing: phase = .stopping(.undecided)
        case .confirmed(let name): phase = .stopping(.confirmed(name: name))
        }
        // The daemon then tells how it has ended.
        return last + [.stop]
    }

    private mutating func leave() -> [Action] {
        defer { phase = .idle }
        return switch phase {
        case .comparing(_, let question): [.answer(question, .areSame(false))]
        case .searching, .choosing, .confirmed: withdrawal + [.stop]
        case .idle, .stopping: []
        }
    }

    private mutating func end(_ ending: Ending) -> [Action] {
        defer { phase = .idle }
        return withdrawal + [.end(ending)]
    }

    private mutating func fail(_ failure: PairingFailure) -> [Action] {
        switch (failure.name, phase) {
        case (_, .idle): []
        case (.unconfirmed, _): end(.unconfirmed(failure))
        case (_, .stopping(.denied)): end(.denied(failure))
        case (.userCancelled, .stopping): end(.stopped(failure))
        default: end(.failed(failure))
        }
    }

    // MARK: Questions

    private mutating func take(_ call: PairingCall) -> [Action] {
        switch call {
        case .choice(let candidates, let question):
            guard isAsking else { return [.answer(question, .withdrawn)] }
            return ask(.choosing(candidates, question))
        case .digits(let digits, let name, let device, let question):
            guard isAsking else { return [.answer(question, .areSame(false))] }
            return ask(.comparing(Comparison(digits: digits, name: name, device: device), question))
        case .cancelled: return isAsking ? search() : []
        case .paired(let device, let name): return end(.paired(device: device, name: name))
        case .failed(let failure): return fail(failure)
        }
    }

    private mutating func ask(_ question: Phase) -> [Action] {
        defer { phase = question }
        return withdrawal
    }

    private mutating func search() -> [Action] { ask(.searching) }

    /// What withdraws the open question, if there is one.
    private var withdrawal: [Action] {
        switch phase {
        case .choosing(_, let question), .comparing(_, let question): [.answer(question, .withdrawn)]
        case .idle, .searching, .confirmed, .stopping: []
        }
    }

    /// Whether the person still wants to pair.
    private var isAsking: Bool {
        switch phase {
        case .searching, .choosing, .comparing, .confirmed: true
        case .idle, .stopping: false
        }
    }

    // MARK: Answers

    private mutating func choose(_ number: UInt64, _ question: QuestionID) -> [Action] {
        guard case .choosing(let candidates, question) = phase, candidates.contains(where: { $0.number == number })
        else { return [] }
        phase = .searching
        return [.answer(question, .device(number))]
    }

    /// A person who has not seen other digits yet does not answer for them.
    private mutating func compare(_ areSame: Bool, _ question: QuestionID, at now: Duration) -> [Action] {
        guard case .comparing(let comparison, question) = phase else { return [] }
        guard areSame else {
            phase = .stopping(.denied)
            return [.answer(question, .areSame(false))]
        }
        let elapsed = max(comparison.shown.map { now - $0 } ?? .zero, .zero)
        guard elapsed >= Self.readingTime else { return [.wait(Self.readingTime - elapsed)] }
        phase = .confirmed(name: comparison.name)
        return [.answer(question, .areSame(true))]
    }

    private mutating func show(at now: Duration) -> [Action] {
        guard case .comparing(var comparison, let question) = phase, comparison.shown == nil else { return [] }
        comparison.shown = now
        phase = .comparing(comparison, question)
        return []
    }

    private mutating func hide() -> [Action] {
        guard case .comparing(var comparison, let question) = phase else { return [] }
        comparison.shown = nil
        phase = .comparing(comparison, question)
        return []
    }
}
