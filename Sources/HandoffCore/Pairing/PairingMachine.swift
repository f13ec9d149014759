import HandoffCrypto
import HandoffModel
package import HandoffWire

/// The state machine of a user's request to pair this device with another: it accepts events with their moments, and
/// returns actions.
///
/// It searches for other pairing devices, decides which side dials, opens a channel to each, has the user choose when
/// there are several, runs a ``PairingExchange`` with the chosen one, and ends exactly once.
package struct PairingMachine: Sendable {
    /// The devices that can be chosen, or the chosen one.
    private(set) var candidates = PairingCandidates()
    private var phase = Phase.searching
    private var peers: PairingPeers
    private var attempts = PairingAttempts()
    /// The devices between which the user chooses.
    private var offered: [Candidate] = []
    /// The last question to the user, or one that nobody was asked.
    private var question = QuestionID(rawValue: 0)
    private let end: Duration

    /// Creates a request that begins now.
    ///
    /// - Parameters:
    ///   - token: the token that this device advertises, new for each request.
    ///   - own: the identity that this device sends.
    ///   - now: the present.
    package init(token: PairingToken, _ own: LocalIdentity, at now: Moment) {
        peers = PairingPeers(token: token, own)
        end = now.uptime + Self.searchLimit
    }

    /// The token that this device advertises.
    package var token: PairingToken { peers.token }

    /// Whether the request is complete: the outcome was reported, and no channel is open.
    package var isOver: Bool { phase == .over && peers.channels.isEmpty }

    /// When `Event.tick` is due at the latest, as `uptime`; nil for not at all.
    package var deadline: Duration? {
        var due = [peers.exchangeDeadline]
        switch phase {
        case .searching: due += [end, candidates.due(awaitsMore: peers.hasUnidentified), peers.nextDial]
        case .choosing: due.append(end)
        case .chosen where isReconsiderable: due += [end, peers.nextDial]
        case .chosen(let chosen, _) where peers[chosen.channel]?.isComparing == false: due.append(end)
        case .chosen, .over: break
        }
        return due.compactMap(\.self).min()
    }

    /// Handles an event, and returns the actions that follow.
    package mutating func handle(_ event: Event, at now: Moment) -> [Action] {
        let uptime = now.uptime
        switch event {
        case .heard(let token): return peers.hear(token, at: uptime) ? dialIfDue(at: uptime) : []
        case .opened(let channel, let token): return start(channel, dialled: token, at: now)
        case .dialFailed(let token):
            peers.dialFailed(token, at: uptime)
            return []
        case .accepted(let channel): return start(channel, dialled: nil, at: now)
        case .received(let channel, let bytes): return received(channel, bytes, at: uptime)
        case .closed(let channel): return closed(channel, at: uptime)
        case .chose(let question, let channel): return chose(question, channel, at: uptime)
        case .compared(let question, let areSame): return compared(question, areSame, at: uptime)
        case .unanswered(let question): return question == self.question ? cancel(at: uptime) : []
        case .cancelled: return cancel(at: uptime)
        case .radioFailed(let error): return fail(error, at: uptime)
        case .persistFailed(let channel, let error): return persistFailed(channel, error, at: uptime)
        case .trustFailed(let channel, let peer, let error): return trustFailed(channel, peer, error, at: uptime)
        case .reconciled(let id): return reconciled(id, at: uptime)
        case .tick: return tick(at: uptime)
        }
    }
}

/// Channels, and the exchanges over them.
extension PairingMachine {
    /// Whether this device has chosen the other one by itself, and that one has not chosen this one.
    private var isReconsiderable: Bool {
        if case .chosen(let chosen, .machine) = phase { peers[chosen.channel]?.isUnanswered == true } else { false }
    }

    /// Dials every device whose dial is due.
    private mutating func dialIfDue(at now: Duration) -> [Action] {
        phase == .searching || isReconsiderable ? peers.dial(at: now).map(Action.dial) : []
    }

    private mutating func start(_ channel: ChannelID, dialled: PairingToken?, at now: Moment) -> [Action] {
        guard phase != .over, peers.start(channel, dialled: dialled, at: now) else {
            return [.close(channel, lingers: false)]
        }
        return perform(peers.update(channel) { $0.start() }, of: channel, at: now.uptime)
    }

    private mutating func received(_ channel: ChannelID, _ bytes: [UInt8], at now: Duration) -> [Action] {
        let actions = peers.update(channel) { $0.receive(bytes, at: now) }
        let closed = drop(peers.duplicates(of: channel, chosen: phase.chosenChannel))
        return closed + (closed.contains(.close(channel, lingers: false)) ? [] : perform(actions, of: channel, at: now))
    }

    private mutating func closed(_ channel: ChannelID, at now: Duration) -> [Action] {
        let actions = update([channel], at: now) { $0.closed() }
        peers.remove(channel)
        candidates.remove(channel)
        return actions.filter { $0 != .close(channel, lingers: false) }
    }

    /// Closes channels that are not needed.
    private mutating func drop(_ channels: [ChannelID]) -> [Action] {
        for channel in channels {
            peers.remove(channel)
            candidates.remove(channel)
        }
        return channels.map { .close($0, lingers: false) }
    }

    private mutating func decline(
        _ channels: [ChannelID],
        _ reason: PairingMessage.Reason,
        at now: Duration
    ) -> [Action] {
        update(channels, at: now) { $0.decline(reason, at: now) }
    }

    /// Passes an event to the exchanges over these channels.
    private mutating func update(
        _ channels: [ChannelID],
        at now: Duration,
        _ event: (inout PairingExchange) -> [PairingExchange.Action]
    ) -> [Action] {
        channels.flatMap { perform(peers.update($0, event), of: $0, at: now) }
    }

    /// Converts the actions of an exchange into those of the request.
    private mutating func perform(
        _ actions: [PairingExchange.Action],
        of channel: ChannelID,
        at now: Duration
    ) -> [Action] {
        actions.flatMap { action -> [Action] in
            switch action {
            case .send(let bytes): return [.send(channel, bytes)]
            case .persist(let record): return [.persist(channel, record)]
            case .update(let record): return [.update(record)]
            case .trust(let peer, let key): return [.trust(channel, peer, key)]
            case .introduced(let peer): return introduced(Candidate(channel: channel, peer: peer), at: now)
            case .compare(let digits): return compare(digits)
            case .conclude(let outcome): return concluded(channel, outcome, at: now)
            case .close(let lingers):
                // Only the service knows when a lingering channel has ended; the machine has no further use for it.
                peers.remove(channel)
                return [.close(channel, lingers: lingers)]
            }
        }
    }
}

/// Choosing a device, and comparing digits with it.
extension PairingMachine {
    private mutating func introduced(_ candidate: Candidate, at now: Duration) -> [Action] {
        guard candidate.peer.publicKeys != peers.own.device.publicKeys else { return drop([candidate.channel]) }
        let withdrawn = reconsider(at: now)
        guard phase == .searching else { return decline([candidate.channel], .notChosen, at: now) }
        peers.identify(candidate.channel)
        return withdrawn + drop(candidates.insert(candidate, at: now))
    }

    /// Takes back a choice that this device has made by itself, so that the user can choose among all devices.
    private mutating func reconsider(at now: Duration) -> [Action] {
        guard isReconsiderable, let channel = phase.chosenChannel else { return [] }
        phase = .searching
        return update([channel], at: now) { $0.withdrawChoice() }
    }

    /// Chooses once all devices nearby had time to introduce themselves.
    private mutating func chooseIfDue(at now: Duration) -> [Action] {
        guard phase == .searching, let due = candidates.due(awaitsMore: peers.hasUnidentified), due <= now else {
            return []
        }
        return chooseOrAsk(at: now)
    }

    /// Chooses the only candidate, or has the user choose one of several.
    private mutating func chooseOrAsk(at now: Duration) -> [Action] {
        let all = candidates.byName
        guard all.count > 1 else { return all.flatMap { choose($0, by: .machine, at: now) } }
        beginQuestion()
        phase = .choosing(question)
        offered = all
        return [.offer(question, all)]
    }

    private mutating func choose(_ chosen: Candidate, by chooser: Chooser, at now: Duration) -> [Action] {
        phase = .chosen(chosen, by: chooser)
        let others = candidates.byName.map(\.channel).filter { $0 != chosen.channel }.sorted()
        return decline(others, .notChosen, at: now) + update([chosen.channel], at: now) { $0.choose(at: now) }
    }

    private mutating func chose(_ question: QuestionID, _ channel: ChannelID?, at now: Duration) -> [Action] {
        guard phase == .choosing(question) else { return [] }
        guard let channel else { return cancel(at: now) }
        if let chosen = candidates[channel] { return choose(chosen, by: .user, at: now) }
        phase = .searching
        let name = offered.first { $0.channel == channel }?.peer.name.rawValue ?? "The device that you chose"
        return [withdrawQuestion("\(name) is no longer pairing.")] + chooseOrAsk(at: now)
    }

    private mutating func compare(_ digits: PairingDigits) -> [Action] {
        guard case .chosen(let chosen, _) = phase else { return [] }
        beginQuestion()
        return [.compare(question, digits, chosen.peer)]
    }

    private mutating func compared(_ question: QuestionID, _ areSame: Bool, at now: Duration) -> [Action] {
        guard case .chosen(let chosen, _) = phase, question == self.question else { return [] }
        guard areSame else { return decline([chosen.channel], .digitsDiffer, at: now) }
        return update([chosen.channel], at: now) { $0.confirm(at: now) }
    }

    /// Handles the end of an exchange.
    private mutating func concluded(_ channel: ChannelID, _ outcome: PairingExchangeOutcome, at now: Duration)
        -> [Action]
    {
        let candidate = candidates.remove(channel)
        if case .notPaired(.remote(.notChosen), _) = outcome { attempts.wasNotChosen(by: candidate?.peer.name) }
        guard case .chosen(let chosen, _) = phase, chosen.channel == channel else {
            guard case .choosing = phase, candidates.isEmpty else { return [] }
            phase = .searching
            return [withdrawQuestion("None of these devices is pairing any more.")]
        }
        switch attempts.conclude(outcome, with: chosen.peer) {
        case .finish(let outcome): return finish(outcome, at: now)
        case .retry(let error, let abandoned):
            phase = .searching
            peers.redial(channel, at: now)
            return [withdrawQuestion(error.message)] + [abandoned.map(Action.abandon)].compactMap(\.self)
        }
    }

    /// Makes the last question an older one.
    private mutating func beginQuestion() {
        question = QuestionID(rawValue: question.rawValue + 1)
    }

    /// Withdraws the last question; any later answer to it, including one that reports the withdrawal, is ignored.
    private mutating func withdrawQuestion(_ sentence: String) -> Action {
        beginQuestion()
        return .withdrawQuestion(sentence)
    }
}

/// The ways in which a request ends.
extension PairingMachine {
    /// Ends the request for the user unless it has ended.
    private mutating func finish(_ outcome: Outcome, at now: Duration) -> [Action] {
        phase == .over ? [] : end(with: outcome, at: now)
    }

    /// Ends the request for the user; a channel with messages still to send stays open for a moment.
    private mutating func end(with outcome: Outcome, at now: Duration) -> [Action] {
        let others = peers.channels.filter { $0 != phase.chosenChannel }
        phase = .over
        return [.finish(outcome)] + decline(others, .notChosen, at: now)
    }

    /// Cancels the request for the user; after a confirmation, only the other side can determine the outcome.
    private mutating func cancel(at now: Duration) -> [Action] {
        attempts.cancel()
        let outcome = Outcome.notPaired(PairingAttempts.cancelled)
        switch phase {
        case .over: return []
        case .chosen(let chosen, _):
            let declined = decline([chosen.channel], .cancelled, at: now)
            return peers[chosen.channel] == nil ? declined + finish(outcome, at: now) : declined
        case .searching, .choosing:
            return decline(peers.channels, .cancelled, at: now) + finish(outcome, at: now)
        }
    }

    /// Ends everything after the radio has failed: nothing can be sent any more.
    private mutating func fail(_ error: HandoffError, at now: Duration) -> [Action] {
        let ended = update(peers.channels, at: now) { $0.closed() }
        let withoutWithdrawals = ended.filter { if case .withdrawQuestion = $0 { false } else { true } }
        return withoutWithdrawals + finish(.notPaired(error), at: now)
    }

    /// Ends the request after a record could not be written: no action that followed it was performed, and no outcome
    /// among them was reported.
    private mutating func persistFailed(_ channel: ChannelID, _ error: HandoffError, at now: Duration) -> [Action] {
        let peer = peers[channel]?.peer
        let actions = peers.update(channel) { $0.persistFailed(error) }
        // The exchange may be over already because of actions that followed the record.
        guard let peer, !actions.isEmpty else {
            return [.close(channel, lingers: false)] + end(with: .notPaired(error), at: now)
        }
        phase = .chosen(Candidate(channel: channel, peer: peer), by: .user)
        return perform(actions, of: channel, at: now)
    }

    /// Ends the request as unconfirmed: the other side may trust this device, which cannot trust it.
    private mutating func trustFailed(
        _ channel: ChannelID,
        _ peer: DeviceIdentity,
        _ error: HandoffError,
        at now: Duration
    ) -> [Action] {
        let closed = peers[channel] == nil ? [] : drop([channel])
        // The outcome that followed the trust action was never reported.
        return closed + end(with: .unconfirmed(peer, PairingAttempts.unsaved(peer.name, error)), at: now)
    }

    /// The remote user had confirmed before the channel was lost, so the other side is not searching for another
    /// attempt.
    private mutating func reconciled(_ id: PairingID, at now: Duration) -> [Action] {
        guard phase == .searching, let error = attempts.error(ofAbandoned: id) else { return [] }
        return finish(.notPaired(error), at: now)
    }

    private mutating func tick(at now: Duration) -> [Action] {
        let ticked = update(peers.channels, at: now) { $0.tick(at: now) }
        let actions = ticked + dialIfDue(at: now) + chooseIfDue(at: now)
        guard end <= now else { return actions }
        switch phase {
        case .searching: return actions + giveUp(attempts.noDeviceFound, at: now)
        case .choosing: return actions + giveUp(PairingAttempts.noChoice, at: now)
        case .chosen(let chosen, _) where peers[chosen.channel]?.isComparing != true:
            return actions + giveUp(PairingAttempts.undecided(chosen.peer.name), at: now)
        case .chosen, .over: return actions
        }
    }

    private mutating func giveUp(_ error: HandoffError, at now: Duration) -> [Action] {
        let outcome = finish(.notPaired(error), at: now)
        return outcome + decline(peers.channels, .tooSlow, at: now)
    }
}
