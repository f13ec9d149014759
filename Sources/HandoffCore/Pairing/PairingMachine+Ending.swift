import HandoffModel
import HandoffWire

/// The ways in which a request ends.
extension PairingMachine {
    /// Ends the request for the user; a channel with messages still to send stays open for a moment.
    mutating func finish(_ outcome: Outcome, at now: Duration) -> [Action] {
        if case .over = phase { return [] }
        var chosen: ChannelID?
        if case .chosen(let channel) = phase { chosen = channel }
        phase = .over
        let others = exchanges.keys.filter { $0 != chosen }.sorted()
        return [.finish(outcome)] + others.flatMap { decline($0, .notChosen, at: now) }
    }

    /// Cancels the request for the user; after a confirmation, only the other side can determine the outcome.
    mutating func cancel(at now: Duration) -> [Action] {
        isCancelled = true
        switch phase {
        case .over: return []
        case .chosen(let channel):
            let actions = decline(channel, .cancelled, at: now)
            if exchanges[channel] == nil { return actions + finish(.notPaired(Self.cancelled), at: now) }
            return actions
        case .searching, .choosing:
            let open = exchanges.keys.sorted()
            return open.flatMap { decline($0, .cancelled, at: now) } + finish(.notPaired(Self.cancelled), at: now)
        }
    }

    /// Ends everything after the radio has failed: nothing can be sent any more.
    mutating func fail(_ error: HandoffError, at now: Duration) -> [Action] {
        let open = exchanges.keys.sorted()
        let ended = open.flatMap { channel in
            perform(exchanges[channel]?.closed() ?? [], of: channel, at: now)
        }
        return ended.filter { !$0.isQuestionWithdrawal } + finish(.notPaired(error), at: now)
    }

    /// Ends the request after a record could not be written: no action that followed it was performed, and no outcome
    /// among them was reported.
    mutating func persistFailed(_ channel: ChannelID, _ error: HandoffError, at now: Duration) -> [Action] {
        phase = .chosen(channel)
        let actions = exchanges[channel]?.persistFailed(error) ?? []
        // The exchange may be over already because of actions that followed the record.
        guard !actions.isEmpty else { return [.close(channel, lingers: false)] + finish(.notPaired(error), at: now) }
        return perform(actions, of: channel, at: now)
    }

    /// The remote user had confirmed before the channel was lost, so the other side is not searching for another
    /// attempt.
    mutating func reconciled(_ id: PairingID, at now: Duration) -> [Action] {
        guard case .searching = phase, let abandoned, abandoned.id == id else { return [] }
        return finish(.notPaired(abandoned.error), at: now)
    }

    /// Ends the request as unconfirmed: the other side may trust this device, which cannot trust it.
    mutating func trustFailed(
        _ channel: ChannelID,
        _ peer: DeviceIdentity,
        _ error: HandoffError,
        at now: Duration
    ) -> [Action] {
        // The outcome that followed the trust action was never reported.
        phase = .chosen(channel)
        let actions = exchanges[channel]?.trustFailed() ?? []
        let ended = perform(actions.filter { $0.isClose }, of: channel, at: now)
        return ended + finish(.unconfirmed(peer, error), at: now)
    }

    mutating func tick(at now: Duration) -> [Action] {
        var actions: [Action] = []
        for channel in exchanges.keys.sorted() {
            actions += perform(exchanges[channel]?.tick(at: now) ?? [], of: channel, at: now)
        }
        actions += dialDueContacts(at: now) + chooseIfDue(at: now)
        guard end <= now else { return actions }
        switch phase {
        case .searching:
            return actions + giveUp(chosenElsewhere.map(Self.notChosen) ?? Self.noDeviceFound, at: now)
        case .choosing: return actions + giveUp(Self.noChoice, at: now)
        case .chosen(let channel) where exchanges[channel]?.isComparing != true:
            let name = exchanges[channel]?.peer?.name
            return actions + giveUp(name.map(Self.undecided) ?? Self.noDeviceFound, at: now)
        case .chosen, .over: return actions
        }
    }

    private mutating func giveUp(_ error: HandoffError, at now: Duration) -> [Action] {
        let outcome = finish(.notPaired(error), at: now)
        return outcome + exchanges.keys.sorted().flatMap { decline($0, .tooSlow, at: now) }
    }

    private static let cancelled = HandoffError(.userCancelled, "You have stopped the pairing; nothing was paired.")

    private static let noDeviceFound = HandoffError(
        .timedOut,
        "No other pairing device was found. Run `handoffctl pair` on both within two minutes, near each other."
    )

    private static let noChoice = HandoffError(
        .timedOut,
        "Several devices were found, and none of them was chosen in time; nothing was paired."
    )

    private static func notChosen(_ name: DeviceName) -> HandoffError {
        HandoffError(
            .timedOut,
            "\(name) was found, and another device was chosen there; nothing was paired here. Run `handoffctl pair` again on "
                + "both, and choose this device there."
        )
    }

    private static func undecided(_ name: DeviceName) -> HandoffError {
        HandoffError(.timedOut, "This device was not chosen on \(name) in time; nothing was paired.")
    }
}

extension PairingExchange.Action {
    var isClose: Bool {
        if case .close = self { true } else { false }
    }
}

extension PairingMachine.Action {
    var isQuestionWithdrawal: Bool {
        if case .withdrawQuestion = self { true } else { false }
    }
}
