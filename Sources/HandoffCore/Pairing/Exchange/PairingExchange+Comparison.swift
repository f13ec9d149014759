import HandoffCrypto
import HandoffWire

extension PairingExchange {
    /// The last phase: the users compare the digits, and both sides learn the outcome.
    struct Comparison: Sendable {
        private enum Step: Sendable {
            /// Neither user has confirmed.
            case undecided
            /// Only the remote user has confirmed.
            case confirmedThere(AdvertisingKeyRecord)
            /// Only the local user has confirmed.
            case confirmedHere
            /// Both users have confirmed, and the acknowledgement is awaited.
            case paired
            /// A refusal was sent, and its acknowledgement is awaited.
            case declined
        }

        /// When ``timedOut(at:)`` is due.
        private(set) var deadline: Duration
        private var channel: PairingChannel
        /// The channel's state before the last record was to be written.
        ///
        /// If writing fails, nothing that was sealed since leaves this device, so that the refusal is the next message
        /// that the other side can read.
        private var channelBeforeRecord: PairingChannel
        private var step = Step.undecided

        /// Returns what follows once the digits are known: they are shown once the record is written, since from now on
        /// the other side may confirm.
        ///
        /// - Parameters:
        ///   - digits: the digits to compare.
        ///   - channel: the channel after `last` was sealed.
        ///   - before: the channel before that.
        ///   - last: what is sent before the digits are shown.
        ///   - now: the present.
        static func begun(
            _ digits: PairingDigits,
            over channel: PairingChannel,
            from before: PairingChannel,
            saying last: [Action],
            at now: Duration
        ) -> Transition {
            let next = Comparison(
                deadline: now + PairingExchange.comparisonLimit,
                channel: channel,
                channelBeforeRecord: before
            )
            return Transition(.comparing(next), [.persist(channel.record)] + last + [.compare(digits)])
        }

        /// The device on the other side.
        var peer: DeviceIdentity { channel.record.peer }

        /// Whether this side has refused, and only the acknowledgement is awaited.
        var isDeclined: Bool {
            if case .declined = step { true } else { false }
        }

        /// Returns what follows the local user's confirmation.
        ///
        /// - Parameters:
        ///   - ownKey: this device's advertising key.
        ///   - now: the present.
        func confirmed(with ownKey: AdvertisingKeyRecord, at now: Duration) -> Transition {
            var next = self
            next.channelBeforeRecord = channel
            next.deadline = max(deadline, now) + PairingExchange.comparisonMargin
            let confirmation = next.channel.seal(.confirmation(advertisingKey: ownKey.rawRepresentation))
            let actions: [Action] = [.persist(channel.record.withStatus(.unconfirmed)), .send(confirmation)]
            switch step {
            case .undecided:
                next.step = .confirmedHere
                return Transition(.comparing(next), actions)
            case .confirmedThere(let key):
                let paired = next.paired(with: key, at: now)
                return Transition(paired.phase, actions + paired.actions)
            case .confirmedHere, .paired, .declined: return Transition(.comparing(self))
            }
        }

        /// Returns what follows a frame.
        func received(_ frame: [UInt8], at now: Duration) throws -> Transition {
            var next = self
            switch (step, try next.channel.open(frame)) {
            case (.undecided, .confirmation(let key)):
                next.step = .confirmedThere(try AdvertisingKeyRecord(rawRepresentation: key))
                return Transition(.comparing(next))
            case (.confirmedHere, .confirmation(let key)):
                return next.paired(with: try AdvertisingKeyRecord(rawRepresentation: key), at: now)
            case (.undecided, .refusal(let reason)), (.confirmedHere, .refusal(let reason)):
                let done = Action.send(next.channel.seal(.done))
                let end: [Action] = [.conclude(notPaired(.remote(reason))), .close(lingers: true)]
                // With `done` the other side forgets the pairing, and would not answer a side that is unconfirmed again after
                // a restart: so it is sent only when the record is written.
                let record = channel.record.withStatus(.notPaired, isReconciled: true)
                return Transition(.over, [.persist(record), done] + end)
            case (.confirmedThere, .withdrawal): return next.refused(.cancelled, .remote(.cancelled), at: now)
            case (.paired, .done):
                let done = channel.isCaller ? [] : [Action.send(next.channel.seal(.done))]
                return Transition(.over, [reconciled(.paired)] + done + [.close(lingers: !channel.isCaller)])
            case (.declined, .done): return Transition(.over, [reconciled(.notPaired), .close(lingers: false)])
            // The peer may have sent them before it received the last message.
            case (.paired, .withdrawal), (.declined, _): return Transition(.comparing(next))
            case (_, let message): throw message.unexpected
            }
        }

        /// Returns what follows when this side ends the exchange; after its own confirmation it can only ask the other
        /// side to stop.
        func declined(_ reason: PairingMessage.Reason, at now: Duration) -> Transition {
            switch step {
            case .undecided, .confirmedThere: return refused(reason, .local(reason), at: now)
            case .confirmedHere:
                var next = self
                let withdrawal = Action.send(next.channel.seal(.withdrawal))
                return Transition(.comparing(next), [withdrawal])
            case .paired, .declined: return Transition(.comparing(self))
            }
        }

        /// Returns what follows the deadline.
        func timedOut(at now: Duration) -> Transition {
            switch step {
            case .undecided, .confirmedThere: declined(.tooSlow, at: now)
            case .confirmedHere, .paired, .declined: ended(.timedOut)
            }
        }

        /// Returns what follows when nothing can be sent any more; the outcome depends on what was sent before.
        func ended(_ cause: PairingExchangeOutcome.Cause) -> Transition {
            let close = Action.close(lingers: false)
            return switch step {
            case .undecided, .confirmedThere: Transition(.over, [.conclude(notPaired(cause)), close])
            case .confirmedHere: Transition(.over, [.conclude(.unconfirmed), close])
            case .paired, .declined: Transition(.over, [close])
            }
        }

        /// Returns what follows when the record could not be written.
        func persistFailed(_ error: HandoffError) -> Transition {
            guard !isDeclined else { return Transition(.comparing(self)) }
            return .refused(.failed, .unwritable(error), after: .record(channel.record.id), over: channelBeforeRecord)
        }

        /// Trusts the other side, now that both users have confirmed.
        private func paired(with key: AdvertisingKeyRecord, at now: Duration) -> Transition {
            var next = self
            // The listener answers this message, so that each side learns that the other knows the outcome.
            let done = channel.isCaller ? [Action.send(next.channel.seal(.done))] : []
            next.step = .paired
            next.deadline = now + PairingExchange.closeLimit
            let trust: [Action] = [.trust(peer, key), .update(channel.record.withStatus(.paired))]
            return Transition(.comparing(next), trust + done + [.conclude(.paired)])
        }

        /// Refuses the other side, and waits for its acknowledgement.
        private func refused(
            _ reason: PairingMessage.Reason,
            _ cause: PairingExchangeOutcome.Cause,
            at now: Duration
        ) -> Transition {
            var next = self
            let refusal = Action.send(next.channel.seal(.refusal(reason)))
            next.step = .declined
            next.deadline = now + PairingExchange.closeLimit
            return Transition(.comparing(next), [refusal, .conclude(notPaired(cause))])
        }

        private func notPaired(_ cause: PairingExchangeOutcome.Cause) -> PairingExchangeOutcome {
            .notPaired(cause, after: .record(channel.record.id))
        }

        private func reconciled(_ status: PairingRecord.Status) -> Action {
            .update(channel.record.withStatus(status, isReconciled: true))
        }
    }
}
