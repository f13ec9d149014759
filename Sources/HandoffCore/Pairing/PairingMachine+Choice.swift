import HandoffCrypto
import HandoffModel
import HandoffWire

/// Choosing among several devices, and running the exchange with the chosen one.
extension PairingMachine {
    /// Converts the actions of an exchange into those of the request.
    mutating func perform(_ actions: [PairingExchange.Action], of channel: ChannelID, at now: Duration) -> [Action] {
        actions.flatMap { action -> [Action] in
            switch action {
            case .send(let bytes): return [.send(channel, bytes)]
            case .persist(let record): return [.persist(channel, record)]
            case .update(let record): return [.update(record)]
            case .trust(let peer, let key): return [.trust(channel, peer, key)]
            case .introduced(let peer): return introduced(channel, peer, at: now)
            case .compare(let digits): return compare(channel, digits)
            case .conclude(let ending): return concluded(channel, ending, at: now)
            case .close(let lingers):
                // Only the service knows when a lingering channel has ended; the machine has no further use for it.
                exchanges[channel] = nil
                return [.close(channel, lingers: lingers)]
            }
        }
    }

    /// Handles the introduction of a device.
    private mutating func introduced(_ channel: ChannelID, _ peer: DeviceIdentity, at now: Duration) -> [Action] {
        guard peer.publicKey != own.device.publicKey else { return drop(channel, at: now) }
        switch phase {
        case .searching(let since):
            let older = candidates.filter { $0.value.publicKey == peer.publicKey }.keys.sorted()
            candidates[channel] = peer
            if let token = exchanges[channel]?.peerToken { contacts[token]?.isAwaited = false }
            phase = .searching(since: since ?? now)
            return older.flatMap { drop($0, at: now) }
        case .choosing, .chosen, .over: return decline(channel, .notChosen, at: now)
        }
    }

    /// Returns when to choose if there has been a candidate since `since`.
    func choiceDue(_ since: Duration) -> Duration {
        since + (hasUnidentifiedContact ? Self.maximumCandidateWindow : Self.candidateWindow)
    }

    /// Whether a device nearby is pairing that has not introduced itself yet.
    private var hasUnidentifiedContact: Bool {
        contacts.values.contains(where: \.isAwaited) || exchanges.keys.contains { candidates[$0] == nil }
    }

    /// Chooses a device, or has the user choose, once all devices nearby had time to introduce themselves.
    mutating func chooseIfDue(at now: Duration) -> [Action] {
        guard case .searching(let since?) = phase, choiceDue(since) <= now else { return [] }
        switch candidates.count {
        case 0:
            phase = .searching(since: nil)
            return []
        case 1: return candidates.keys.first.map { choose($0, at: now) } ?? []
        default: return offer()
        }
    }

    private mutating func offer() -> [Action] {
        beginQuestion()
        phase = .choosing(question)
        let sorted = candidates.sorted {
            ($0.value.name.rawValue, $0.key) < ($1.value.name.rawValue, $1.key)
        }
        return [.offer(question, sorted.map { Candidate(channel: $0.key, peer: $0.value) })]
    }

    private mutating func choose(_ channel: ChannelID, at now: Duration) -> [Action] {
        phase = .chosen(channel)
        let others = candidates.keys.filter { $0 != channel }.sorted()
        let declined = others.flatMap { decline($0, .notChosen, at: now) }
        return declined + perform(exchanges[channel]?.choose(at: now) ?? [], of: channel, at: now)
    }

    mutating func chose(_ question: QuestionID, _ channel: ChannelID?, at now: Duration) -> [Action] {
        guard case .choosing(question) = phase else { return [] }
        guard let channel else { return cancel(at: now) }
        guard candidates[channel] != nil else {
            phase = .searching(since: candidates.isEmpty ? nil : now - Self.maximumCandidateWindow)
            return [withdrawQuestion("That device is no longer pairing.")] + chooseIfDue(at: now)
        }
        return choose(channel, at: now)
    }

    private mutating func compare(_ channel: ChannelID, _ digits: PairingDigits) -> [Action] {
        guard let peer = exchanges[channel]?.peer else { return [] }
        beginQuestion()
        return [.compare(question, digits, peer)]
    }

    mutating func compared(_ question: QuestionID, _ areSame: Bool, at now: Duration) -> [Action] {
        guard case .chosen(let channel) = phase, question == self.question else { return [] }
        guard areSame else { return decline(channel, .digitsDiffer, at: now) }
        return perform(exchanges[channel]?.confirm(at: now) ?? [], of: channel, at: now)
    }

    mutating func decline(_ channel: ChannelID, _ reason: PairingMessage.Reason, at now: Duration) -> [Action] {
        perform(exchanges[channel]?.decline(reason, at: now) ?? [], of: channel, at: now)
    }

    /// Handles the end of an exchange.
    private mutating func concluded(_ channel: ChannelID, _ ending: PairingExchangeOutcome, at now: Duration)
        -> [Action]
    {
        if ending == .notPaired(.remote(.notChosen)) { chosenElsewhere = candidates[channel]?.name }
        forget(channel)
        guard isChosen(channel), let exchange = exchanges[channel], let peer = exchange.peer else {
            return restartChoice(at: now)
        }
        switch ending {
        case .paired: return finish(.paired(peer), at: now)
        case .unconfirmed: return finish(.unconfirmed(peer, Self.unconfirmed(peer.name)), at: now)
        case .notPaired(let cause):
            if exchange.countsAsAttempt { attempts += 1 }
            guard cause.isRetryable, !isCancelled, attempts < Self.maximumAttempts else {
                let ended = isCancelled ? .local(.cancelled) : cause
                return finish(
                    .notPaired(attempts < Self.maximumAttempts ? ended.error(peer.name) : Self.tooManyAttempts),
                    at: now
                )
            }
            phase = .searching(since: nil)
            if let token = exchange.peerToken {
                contacts[token]?.nextDial =
                    now + (token < self.token ? Self.redialDelay : Self.redialDelay + Self.dialFallbackDelay)
            }
            let error = cause.error(peer.name)
            abandoned = exchange.id.map { ($0, error) }
            return [withdrawQuestion(error.message)] + [exchange.id.map(Action.abandon)].compactMap(\.self)
        }
    }

    /// Removes a candidate; after the last one is removed, the waiting time for further candidates starts again.
    mutating func forget(_ channel: ChannelID) {
        candidates[channel] = nil
        if candidates.isEmpty, case .searching = phase { phase = .searching(since: nil) }
    }

    /// Searches again when none of the offered devices is left.
    private mutating func restartChoice(at now: Duration) -> [Action] {
        guard case .choosing = phase, candidates.isEmpty else { return [] }
        phase = .searching(since: nil)
        return [withdrawQuestion("None of these devices is pairing any more.")]
    }

    /// Withdraws the last question; any later answer to it, including one that reports the withdrawal, is ignored.
    private mutating func withdrawQuestion(_ sentence: String) -> Action {
        beginQuestion()
        return .withdrawQuestion(sentence)
    }

    /// Makes the last question an older one.
    private mutating func beginQuestion() {
        question = QuestionID(rawValue: question.rawValue + 1)
    }

    private static let tooManyAttempts = HandoffError(
        .notPaired,
        "Comparing the digits failed \(maximumAttempts) times, which may be an attack; nothing was paired. Try "
            + "again elsewhere, or use cards (`handoffctl devices card`)."
    )

    static func unconfirmed(_ name: DeviceName) -> HandoffError {
        HandoffError(
            .unconfirmed,
            "You have confirmed, but \(name) has not answered: both learn the outcome when they next meet. Until then "
                + "`handoffctl devices` shows it as unconfirmed, and it is not trusted."
        )
    }
}
