import HandoffWire

extension PairingExchange {
    /// The second phase: each side waits until its user has chosen the other device.
    ///
    /// A side may withdraw its choice until the other side's has arrived. The two may cross: what the other side has sent
    /// before it acknowledges the withdrawal does not count, and it repeats its own choice with the acknowledgement.
    struct Choice: Sendable {
        /// Whether this side has chosen the other device.
        private var isChosenHere = false
        /// Whether the other side has chosen this one.
        private var isChosenThere = false
        /// How many withdrawals of this side are not acknowledged.
        private var withdrawals = 0
        private var channel: PairingChannel

        init(over channel: PairingChannel) {
            self.channel = channel
        }

        /// The device on the other side.
        var peer: DeviceIdentity { channel.record.peer }

        /// Whether only this side has chosen.
        var isUnanswered: Bool { isChosenHere && !isChosenThere }

        /// Returns what follows the choice of the other device on this side.
        func chosen(at now: Duration) -> Transition {
            guard !isChosenHere else { return Transition(.choosing(self)) }
            var next = self
            next.isChosenHere = true
            let choice = Action.send(next.channel.seal(.choice))
            return next.continued(after: [choice], at: now)
        }

        /// Returns what follows when this side takes its choice back; nothing once the other side has chosen, too.
        func withdrawn() -> Transition {
            guard isUnanswered else { return Transition(.choosing(self)) }
            var next = self
            next.isChosenHere = false
            next.withdrawals += 1
            let withdrawal = Action.send(next.channel.seal(.withdrawal))
            return Transition(.choosing(next), [withdrawal])
        }

        /// Returns what follows a frame.
        func received(_ frame: [UInt8], at now: Duration) throws -> Transition {
            var next = self
            switch try next.channel.open(frame) {
            case .refusal(let reason): return .ended(.remote(reason), after: .introduction)
            case .withdrawal where isChosenThere || withdrawals > 0: return next.withdrawnThere()
            case .done where withdrawals > 0: next.withdrawals -= 1
            // It was sent before the withdrawal of this side arrived.
            case .choice where withdrawals > 0, .commitment where withdrawals > 0: break
            case .choice where !isChosenThere: next.isChosenThere = true
            case let message: throw message.unexpected
            }
            return next.continued(after: [], at: now)
        }

        /// Returns what follows when this side ends the exchange.
        func declined(_ reason: PairingMessage.Reason) -> Transition {
            .refused(reason, .local(reason), after: .introduction, over: channel)
        }

        /// Returns what follows when the other side has withdrawn its choice after both had chosen, as far as this side
        /// knew.
        static func resumed(over channel: PairingChannel) -> Transition {
            var choice = Choice(over: channel)
            choice.isChosenHere = true
            return choice.withdrawnThere()
        }

        private func withdrawnThere() -> Transition {
            var next = self
            next.isChosenThere = false
            var answers = [Action.send(next.channel.seal(.done))]
            if isChosenHere { answers.append(.send(next.channel.seal(.choice))) }
            return Transition(.choosing(next), answers)
        }

        /// Begins the next phase once both sides have chosen.
        private func continued(after actions: [Action], at now: Duration) -> Transition {
            guard isChosenHere, isChosenThere else { return Transition(.choosing(self), actions) }
            let commitment = Commitment.begun(over: channel, at: now)
            return Transition(commitment.phase, actions + commitment.actions)
        }
    }
}
