import HandoffCore
import HandoffModel
import HandoffWire

extension PairingWorld {
    /// Something that can happen next.
    enum Step: Hashable {
        /// A device performs the next action of its request.
        case perform(Int, WriteFault? = nil)
        /// A machine learns what happened.
        case notice(Int)
        /// The next item arrives at an end of a channel.
        case deliver(link: Int, end: Int)
        /// The session goes on.
        case continueSession(WriteFault? = nil)
        /// The person answers whether the digits are the same.
        case answer(Int, Bool)
        /// A device asks the other one how a pairing has ended.
        case ask(Int, PairingRecord)
        /// The devices exchange their circles.
        case exchangeCircles
        /// Time passes until a machine has something to do.
        case tick
        /// The next message is lost.
        case lose(link: Int, end: Int)
        /// The next message arrives twice.
        case repeatItem(link: Int, end: Int)
        /// The next two messages change places.
        case swap(link: Int, end: Int)
        /// A channel is lost with everything that is on its way.
        case breakLink(Int)
        /// The channel of the session is lost.
        case breakSession
        /// The person stops the request.
        case cancel(Int)
        /// A device loses its memory and starts again.
        case crash(Int)
    }

    /// Everything that can happen next; the first is what happens when nothing disturbs the devices.
    var steps: [Step] {
        let undisturbed = ordinarySteps
        guard !undisturbed.isEmpty else { return [] }
        return undisturbed + disturbances
    }

    /// What can happen without a fault; nothing when both requests are over and there is nothing to ask.
    var ordinarySteps: [Step] {
        var steps: [Step] = []
        for side in 0...1 where !sides[side].actions.isEmpty { steps.append(.perform(side)) }
        for side in 0...1 where isIdle(side) && !sides[side].events.isEmpty { steps.append(.notice(side)) }
        for link in links.indices {
            for end in 0...1 where isIdle(links[link].ends[end].side) && !links[link].queues[end].isEmpty {
                steps.append(.deliver(link: link, end: end))
            }
        }
        if session != nil { steps.append(.continueSession()) }
        for side in 0...1 where isIdle(side) && sides[side].question != nil { steps.append(.answer(side, true)) }
        if session == nil {
            for side in 0...1 {
                let due = questions(of: side).filter { !hasAsked(side, about: $0) }
                steps += due.map { .ask(side, $0) }
            }
            if canExchangeCircles { steps.append(.exchangeCircles) }
        }
        if nextDeadline != nil { steps.append(.tick) }
        return steps
    }

    /// What goes wrong, or what people do otherwise.
    private var disturbances: [Step] {
        var steps: [Step] = []
        for side in 0...1 {
            if writes(side) { steps += [.perform(side, .firstFails), .perform(side, .secondFails)] }
            if trusts(side) { steps.append(.perform(side, .crashesBetween)) }
            if isIdle(side), sides[side].question != nil { steps.append(.answer(side, false)) }
            if isIdle(side), sides[side].machine != nil { steps.append(.cancel(side)) }
            steps.append(.crash(side))
        }
        for link in links.indices where links[link].isOpen || links[link].queues.joined().contains(where: \.isBytes) {
            steps.append(.breakLink(link))
            for end in 0...1 {
                let count = links[link].queues[end].count { $0.isBytes }
                if count > 0 { steps += [.lose(link: link, end: end), .repeatItem(link: link, end: end)] }
                if count > 1 { steps.append(.swap(link: link, end: end)) }
            }
        }
        guard let session else { return steps }
        steps.append(.breakSession)
        if session.step != .asked {
            steps += [.continueSession(.firstFails), .continueSession(.secondFails), .continueSession(.crashesBetween)]
        }
        return steps
    }

    /// Performs a step.
    mutating func take(_ step: Step) throws {
        switch step {
        case .perform(let side, let fault): perform(at: side, fault)
        case .notice(let side): handle(sides[side].events.removeFirst(), at: side, labelled: "noticed")
        case .deliver(let link, let end): deliver(link, end)
        case .continueSession(let fault): try continueSession(fault)
        case .answer(let side, let areSame): answer(side, areSame)
        case .ask(let side, let record): ask(side, about: record)
        case .exchangeCircles: exchangeCircles()
        case .tick: tick()
        case .lose(let link, let end): edit(link, end) { $0.removeFirst() }
        case .repeatItem(let link, let end): edit(link, end) { $0.insert($0[0], at: 0) }
        case .swap(let link, let end): edit(link, end) { $0.swapAt(0, 1) }
        case .breakLink(let link): breakLink(link)
        case .breakSession: session = nil
        case .cancel(let side):
            sides[side].question = nil
            handle(.cancelled, at: side, labelled: "cancelled")
        case .crash(let side): crash(side)
        }
    }

    /// Lets the devices meet, without faults, until they have nothing more to ask.
    mutating func meet() throws {
        for _ in 0..<4 {
            wait(.seconds(1))
            for side in 0...1 {
                for record in questions(of: side) {
                    ask(side, about: record)
                    while session != nil { try continueSession(nil) }
                }
            }
            if canExchangeCircles { exchangeCircles() }
        }
    }

    private func isIdle(_ side: Int) -> Bool { sides[side].machine != nil && sides[side].actions.isEmpty }

    private func writes(_ side: Int) -> Bool {
        switch sides[side].actions.first {
        case .persist, .update, .trust: true
        default: false
        }
    }

    private func trusts(_ side: Int) -> Bool {
        if case .trust = sides[side].actions.first { true } else { false }
    }

    private var canExchangeCircles: Bool {
        (0...1).allSatisfy { sides[$0].memory.trusted.contains(sides[1 - $0].id) && sides[$0].request == nil }
            && (0...1).contains { side in sides[side].memory.records.all.contains { $0.status == .paired } }
    }

    private var nextDeadline: Duration? { sides.compactMap(\.machine?.deadline).min() }

    private mutating func tick() {
        guard let due = nextDeadline else { return }
        wait(max(due - time, .zero))
        for side in 0...1 where isIdle(side) && sides[side].machine?.deadline.map({ $0 <= time }) == true {
            handle(.tick, at: side, labelled: "tick")
        }
    }

    private mutating func answer(_ side: Int, _ areSame: Bool) {
        guard let question = sides[side].question else { return }
        sides[side].question = nil
        if areSame, let shown = sides[side].shown { sides[side].confirmed.insert(shown) }
        handle(.compared(question, areSame: areSame), at: side, labelled: areSame)
    }

    private mutating func deliver(_ link: Int, _ end: Int) {
        let (side, channel) = links[link].ends[end]
        switch links[link].queues[end].removeFirst() {
        case .opened(let token): handle(.opened(channel, token), at: side, labelled: "opened")
        case .accepted: handle(.accepted(channel), at: side, labelled: "accepted")
        case .closed: handle(.closed(channel), at: side, labelled: "closed")
        case .bytes(let bytes, let label): handle(.received(channel, bytes), at: side, labelled: label)
        }
    }

    /// Changes what is on its way, as far as it is bytes.
    private mutating func edit(_ link: Int, _ end: Int, _ change: (inout [Item]) -> Void) {
        var bytes = links[link].queues[end].filter(\.isBytes)
        let others = links[link].queues[end].filter { !$0.isBytes }
        change(&bytes)
        let isOpening = others.first.map(\.isOpening) ?? false
        links[link].queues[end] = isOpening ? others + bytes : bytes + others
    }
}

// MARK: What must hold

extension PairingWorld {
    /// The rule that this state breaks; nil when it breaks none.
    var brokenRule: String? {
        let both = sides[0].confirmed.intersection(sides[1].confirmed)
        for side in sides where !(side.memory.trusted.isEmpty && side.disk.trusted.isEmpty) && both.isEmpty {
            return "\(side.own.device.name) trusts the other one although not both persons have said yes"
        }
        return nil
    }

    /// The rule that this state breaks after the devices have met.
    ///
    /// - Parameter isSoon: whether the devices have met while those whose person has not confirmed still ask.
    func brokenRuleAfterMeeting(isSoon: Bool) -> String? {
        if let brokenRule { return brokenRule }
        let trust = (0...1).map { sides[$0].memory.trusted.contains(sides[1 - $0].id) }
        guard trust[0] == trust[1] else { return "only one device trusts the other" }
        for (index, side) in sides.enumerated() {
            switch side.outcome {
            case .paired where !trust[0]: return "\(side.own.device.name) has said that they are paired"
            case .notPaired where trust[0] && requestCount == 1:
                return "\(side.own.device.name) has said that they are not paired"
            default: break
            }
            // Decision 8: a device whose person has not confirmed asks for a short time only.
            guard side.memory.records.unconfirmed.isEmpty || !isSoon || sides[1 - index].effortEnd <= time else {
                return "\(side.own.device.name) does not know how the pairing has ended"
            }
        }
        return nil
    }

    /// Equal for worlds that have the same continuations, but for what is random.
    var signature: Int {
        var hasher = Hasher()
        hasher.combine(time)
        for (index, side) in sides.enumerated() {
            hasher.combine(side.history)
            hasher.combine(side.actions.count)
            hasher.combine(side.events.count)
            hasher.combine(side.question != nil)
            hasher.combine(side.request != nil)
            hasher.combine(side.effortEnd)
            hasher.combine(side.outcome?.word)
            for kept in [side.memory, side.disk] {
                hasher.combine(kept.trusted.count)
                for record in kept.records.all { combine(record, of: index, into: &hasher) }
            }
        }
        for link in links {
            hasher.combine(link.isOpen)
            for queue in link.queues {
                hasher.combine(queue.count)
                for case .bytes(_, let label) in queue { hasher.combine(label) }
            }
        }
        hasher.combine(session?.step)
        hasher.combine(session?.caller)
        if let session { combine(session.record, of: session.caller, into: &hasher) }
        return hasher.finalize()
    }

    private func combine(_ record: PairingRecord, of index: Int, into hasher: inout Hasher) {
        hasher.combine(record.status)
        hasher.combine(record.began)
        hasher.combine(hasAsked(index, about: record))
        for side in sides { hasher.combine(side.confirmed.contains(record.id)) }
    }

    /// What is kept on both sides, in words that are equal for worlds with other keys.
    var keptInWords: String {
        sides.map { side in
            let words = [side.memory, side.disk].map { kept in
                "\(kept.trusted.count) \(kept.records.all.map(\.status.rawValue))"
            }
            return words.joined(separator: " / ")
        }.joined(separator: " | ")
    }
}

extension PairingWorld.Item {
    var isBytes: Bool { if case .bytes = self { true } else { false } }

    fileprivate var isOpening: Bool {
        switch self {
        case .opened, .accepted: true
        case .closed, .bytes: false
        }
    }
}
