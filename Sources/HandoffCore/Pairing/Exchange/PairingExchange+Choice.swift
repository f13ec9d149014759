import HandoffWire

extension PairingExchange {
    /// The second phase: each side waits until its user has chosen the other device.
    struct Choice: Sendable {
        private enum Chooser: Sendable {
            case nobody, thisSide, otherSide
        }

        private var channel: PairingChannel
        private var chooser = Chooser.nobody

        init(over channel: PairingChannel) {
            self.channel = channel
        }

        /// The device on the other side.
        var peer: DeviceIdentity { channel.record.peer }

        /// Returns what follows the choice of the other device on this side.
        func chosen(at now: Duration) -> Transition {
            guard chooser != .thisSide else { return Transition(.choosing(self)) }
            var next = self
            let choice = Action.send(next.channel.seal(.choice))
            next.chooser = .thisSide
            guard chooser == .otherSide else { return Transition(.choosing(next), [choice]) }
            let commitment = Commitment.begun(over: next.channel, at: now)
            return Transition(commitment.phase, [choice] + commitment.actions)
        }

        /// Returns what follows a frame.
        func received(_ frame: [UInt8], at now: Duration) throws -> Transition {
            var next = self
            switch (chooser, try next.channel.open(frame)) {
            case (_, .refusal(let reason)): return .ended(.remote(reason), after: .introduction)
            case (.nobody, .choice):
                next.chooser = .otherSide
                return Transition(.choosing(next))
            case (.thisSide, .choice): return Commitment.begun(over: next.channel, at: now)
            case (_, let message): throw message.unexpected
            }
        }

        /// Returns what follows when this side ends the exchange.
        func declined(_ reason: PairingMessage.Reason) -> Transition {
            .refused(reason, .local(reason), after: .introduction, over: channel)
        }
    }
}
