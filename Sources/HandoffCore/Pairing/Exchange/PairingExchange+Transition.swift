import HandoffWire

extension PairingExchange {
    /// What follows an event: the phase that begins or goes on, and the actions to perform.
    struct Transition: Sendable {
        let phase: Phase
        let actions: [Action]

        init(_ phase: Phase, _ actions: [Action] = []) {
            self.phase = phase
            self.actions = actions
        }

        /// Returns the end of an exchange without a pairing and without another message.
        static func ended(
            _ cause: PairingExchangeOutcome.Cause,
            after progress: PairingExchangeOutcome.Progress
        ) -> Transition {
            Transition(.over, [.conclude(.notPaired(cause, after: progress)), .close(lingers: false)])
        }

        /// Returns the end of an exchange without a pairing, with a refusal as the last message.
        static func refused(
            _ reason: PairingMessage.Reason,
            _ cause: PairingExchangeOutcome.Cause,
            after progress: PairingExchangeOutcome.Progress,
            over channel: PairingChannel
        ) -> Transition {
            var channel = channel
            let refusal = Action.send(channel.seal(.refusal(reason)))
            return Transition(.over, [refusal, .conclude(.notPaired(cause, after: progress)), .close(lingers: true)])
        }
    }
}

extension PairingMessage {
    /// The error after a message of this kind that was not expected.
    var unexpected: HandoffError {
        HandoffError(.peerMisbehaved, "It sent an unexpected message: \(name).")
    }

    private var name: String {
        switch self {
        case .introduction: "introduction"
        case .choice: "choice"
        case .commitment: "commitment"
        case .share, .reveal: "nonce"
        case .confirmation: "confirmation"
        case .refusal: "refusal"
        case .withdrawal: "withdrawal"
        case .done: "done"
        }
    }
}
