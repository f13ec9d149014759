import DBus
import HandoffBus
import HandoffClient

/// What follows from what a person does.
extension WindowModel {
    mutating func handle(_ event: UserEvent) -> [WindowAction] {
        switch event {
        case .showed(let page): self.page = page
        case .focused(let isFocused): self.isFocused = isFocused
        case .closed: return close()
        case .retry:
            daemon = .connecting
            return [.connect]
        case .continueActivity(let activity): return continueActivity(activity, opensPrograms: false)
        case .cancelContinuation(let activity):
            return continuing[activity] == nil ? [] : [.cancelContinuation(activity)]
        case .pair, .stopPairing, .choose, .compared, .leavePairing: return handlePairing(event)
        case .rename(let device): ask(.name(device: device))
        case .remove(let device): return [.askConsequences(device: device)]
        case .keep(let device): return [.keep(device: device)]
        case .drop(let device): ask(.drop(device: device))
        case .forget(let device): return [.forget(device: device)]
        case .pause(let minutes): return [.pause(until: minutes == 0 ? 0 : now + minutes * 60_000_000)]
        case .resume: return [.resume]
        case .setReceiveOnly(let isReceiveOnly): return [.setReceiveOnly(isReceiveOnly)]
        case .deny(let kind, let value, let isDenied):
            return isDenied
                ? [.setRule(RuleDescription(verdict: "deny", kind: kind, value: value))]
                : [.removeRule(kind: kind, value: value)]
        case .addRule(let kind): ask(.rule(kind: kind))
        case .examine:
            guard examination != .running else { return [] }
            examination = .running
            show(.doctor)
            return [.examine]
        case .answer(let answer): return take(answer)
        }
        return []
    }

    /// Asks the person, unless there is a question already: another one must not come under their hand.
    mutating func ask(_ new: Question) {
        guard question == nil else { return }
        question = new
        questionNumber += 1
    }

    /// Goes to a page.
    mutating func show(_ page: PageName) {
        if self.page != page { (self.page, shows) = (page, page) }
    }

    private mutating func close() -> [WindowAction] {
        isClosed = true
        return pairing.handle(.left, at: now)
    }

    private mutating func continueActivity(_ activity: ObjectPath, opensPrograms: Bool) -> [WindowAction] {
        guard state?.objects.nearby.contains(where: { $0.path == activity }) == true, continuing[activity] == nil
        else { return [] }
        continuing[activity] = .fetching
        return [.continueActivity(activity, opensPrograms: opensPrograms)]
    }

    private mutating func handlePairing(_ event: UserEvent) -> [WindowAction] {
        if event == .pair { show(.pair) }
        return switch event {
        case .pair: pairing.handle(.begin, at: now)
        case .stopPairing: pairing.handle(.stop, at: now)
        case .choose(let number, let question): pairing.handle(.chosen(number, question), at: now)
        case .compared(let areSame, let question):
            pairing.handle(.compared(areSame: areSame, question), at: now)
        default: pairing.leave()
        }
    }

    private mutating func take(_ answer: QuestionAnswer) -> [WindowAction] {
        guard let question, answer.question == questionNumber else { return [] }
        self.question = nil
        guard answer.response != "cancel" else { return [] }
        switch question {
        case .removal(let device, let consequences):
            let others = (consequences.orphaned + consequences.removed).map(\.id)
            return [.remove(device: device, keeping: others.filter(answer.marked.contains))]
        case .drop(let device): return [.drop(device: device)]
        case .name(let device): return [.rename(device: device, answer.text)]
        case .rule(let kind):
            return [.setRule(RuleDescription(verdict: answer.response, kind: kind, value: answer.text))]
        case .program(let activity, _): return continueActivity(activity, opensPrograms: true)
        }
    }
}
