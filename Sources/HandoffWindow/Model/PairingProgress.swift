package import HandoffClient

/// The pairing in the window: the dialogue, and how the last one has ended.
package struct PairingProgress: Hashable, Sendable {
    private var dialogue = PairingDialogue()
    /// How the last pairing has ended, until the person has read it; nil for nothing to read.
    package private(set) var ending: PairingDialogue.Ending?

    package var phase: PairingDialogue.Phase { dialogue.phase }

    /// Whether no pairing is in progress.
    package var isOver: Bool { phase == .idle }

    /// Whether a person has to do something.
    package var needsPerson: Bool { dialogue.needsPerson }

    /// Forgets how the last pairing has ended.
    mutating func leave() -> [WindowAction] {
        ending = nil
        return []
    }

    /// - Parameter now: microseconds since 1970.
    mutating func handle(_ event: PairingDialogue.Event, at now: UInt64) -> [WindowAction] {
        let time = Duration.microseconds(Int64(clamping: now))
        var actions = dialogue.handle(event, at: time)
        // The view that follows from this event shows the question; the button for yes waits from when it appears.
        actions += dialogue.handle(.shown, at: time)
        return actions.compactMap { perform($0) }
    }

    private mutating func perform(_ action: PairingDialogue.Action) -> WindowAction? {
        switch action {
        case .request:
            ending = nil
            return .pair
        case .stop: return .stopPairing
        case .answer(let question, let answer): return .answer(question, answer)
        case .wait: return nil
        case .end(let ending):
            switch ending {
            // The person knows it.
            case .stopped, .denied: self.ending = nil
            case .paired, .failed, .unconfirmed, .refused, .lost: self.ending = ending
            }
            return nil
        }
    }
}
