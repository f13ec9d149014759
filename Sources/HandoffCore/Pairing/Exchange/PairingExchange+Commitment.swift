import HandoffCrypto
import HandoffWire

extension PairingExchange {
    /// The third phase: a commitment and the nonces from which the digits are derived.
    struct Commitment: Sendable {
        private enum Step: Sendable {
            /// The listener waits for the commitment.
            case awaitingCommitment
            /// The caller waits for the listener's nonce.
            case awaitingShare(PairingNonce)
            /// The listener waits for the caller's nonce.
            case awaitingReveal(PairingNonce, commitment: [UInt8], channelBeforeRecord: PairingChannel)
        }

        /// When the other side has to have answered.
        let deadline: Duration
        private var channel: PairingChannel
        private var step: Step

        /// Returns what follows once both sides have chosen each other.
        static func begun(over channel: PairingChannel, at now: Duration) -> Transition {
            let deadline = now + PairingExchange.answerLimit
            var next = Commitment(deadline: deadline, channel: channel, step: .awaitingCommitment)
            guard channel.isCaller else { return Transition(.committing(next)) }
            let nonce = channel.nextNonce()
            let commitment = next.channel.seal(.commitment(nonce.commitment(to: channel.transcript)))
            next.step = .awaitingShare(nonce)
            return Transition(.committing(next), [.send(commitment)])
        }

        /// The device on the other side.
        var peer: DeviceIdentity { channel.record.peer }

        /// How far the exchange has come.
        var progress: PairingExchangeOutcome.Progress {
            if case .awaitingReveal = step { .record(channel.record.id) } else { .commitment }
        }

        /// Returns what follows a frame.
        func received(_ frame: [UInt8], at now: Duration) throws -> Transition {
            var next = self
            let message = try next.channel.open(frame)
            let before = next.channel
            switch (step, message) {
            case (_, .refusal(let reason)): return .ended(.remote(reason), after: progress)
            case (.awaitingCommitment, .withdrawal), (.awaitingShare, .withdrawal):
                return Choice.resumed(over: next.channel)
            case (.awaitingCommitment, .commitment(let commitment)):
                let nonce = channel.nextNonce()
                let share = Action.send(next.channel.seal(.share(nonce.bytes)))
                next.step = .awaitingReveal(nonce, commitment: commitment, channelBeforeRecord: before)
                // Once it has the share, the other side may ask its user, and later ask for the outcome.
                return Transition(.committing(next), [.persist(channel.record), share])
            case (.awaitingShare(let nonce), .share(let bytes)):
                let theirs = try PairingNonce(bytes: bytes)
                let reveal = Action.send(next.channel.seal(.reveal(nonce.bytes)))
                let digits = PairingDigits(transcript: channel.transcript, caller: nonce, listener: theirs)
                return Comparison.begun(digits, over: next.channel, from: before, saying: [reveal], at: now)
            case (.awaitingReveal(let nonce, let commitment, _), .reveal(let bytes)):
                let theirs = try PairingNonce(bytes: bytes)
                guard theirs.commitment(to: channel.transcript) == commitment else {
                    throw HandoffError(.peerMisbehaved, "Its nonce does not match its commitment.")
                }
                let digits = PairingDigits(transcript: channel.transcript, caller: theirs, listener: nonce)
                return Comparison.begun(digits, over: next.channel, from: before, saying: [], at: now)
            default: throw message.unexpected
            }
        }

        /// Returns what follows when this side ends the exchange.
        func declined(_ reason: PairingMessage.Reason) -> Transition {
            .refused(reason, .local(reason), after: progress, over: channel)
        }

        /// Returns what follows when the record could not be written.
        func persistFailed(_ error: HandoffError) -> Transition {
            guard case .awaitingReveal(_, _, let before) = step else { return Transition(.committing(self)) }
            return .refused(.failed, .unwritable(error), after: progress, over: before)
        }
    }
}
