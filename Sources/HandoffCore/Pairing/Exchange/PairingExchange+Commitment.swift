import HandoffCrypto
import HandoffWire

/// The commitment, the nonces that the digits are derived from, and the users' confirmations.
extension PairingExchange {
    /// Begins the exchange of nonces, now that both sides have chosen each other.
    mutating func beginCommitment(at now: Duration) -> [Action] {
        guard case .committing(var channel, _) = phase else { return [] }
        deadline = now + Self.answerLimit
        countsAsAttempt = true
        guard isCaller else {
            phase = .committing(channel, .awaitingCommitment)
            return []
        }
        let nonce = PairingNonce.generate()
        let commitment = channel.seal(.commitment(nonce.commitment(to: transcript(of: channel))))
        phase = .committing(channel, .awaitingShare(nonce))
        return [.send(commitment)]
    }

    mutating func receiveCommitmentMessage(
        _ channel: inout PairingChannel,
        _ proof: Proof,
        _ message: PairingMessage,
        at now: Duration
    ) throws -> [Action] {
        switch (proof, message) {
        case (_, .refusal(let reason)): return refused(reason)
        case (.awaitingChoice(let local, false), .choice):
            phase = .committing(channel, .awaitingChoice(local: local, remote: true))
            return local ? beginCommitment(at: now) : []
        case (.awaitingCommitment, .commitment(let commitment)):
            channelBeforeRecord = channel
            let nonce = PairingNonce.generate()
            let share = Action.send(channel.seal(.share(nonce.bytes)))
            phase = .committing(channel, .awaitingReveal(nonce, commitment: commitment))
            // Once it has the share, the other side may ask its user, and later ask for the outcome.
            return [persist(record(of: channel)), share]
        case (.awaitingShare(let nonce), .share(let bytes)):
            let theirs = try PairingNonce(bytes: bytes)
            channelBeforeRecord = channel
            let reveal = Action.send(channel.seal(.reveal(nonce.bytes)))
            return compare(caller: nonce, listener: theirs, over: channel, saying: [reveal], at: now)
        case (.awaitingReveal(let nonce, let commitment), .reveal(let bytes)):
            let theirs = try PairingNonce(bytes: bytes)
            guard theirs.commitment(to: transcript(of: channel)) == commitment else {
                throw HandoffError(.peerMisbehaved, "Its nonce does not match its commitment.")
            }
            channelBeforeRecord = channel
            return compare(caller: theirs, listener: nonce, over: channel, saying: [], at: now)
        default: throw Self.unexpected(message)
        }
    }

    private func transcript(of channel: PairingChannel) -> PairingTranscript {
        let (ours, theirs) = (introduction.encode(), peerIntroduction)
        return PairingTranscript(
            handshakeHash: channel.handshakeHash,
            caller: isCaller ? ours : theirs,
            listener: isCaller ? theirs : ours
        )
    }

    /// Returns the record that is kept until the local user confirms.
    private func record(of channel: PairingChannel) -> PairingRecord {
        guard let peer else { preconditionFailure("a peer introduces itself before the commitment") }
        return PairingRecord(
            id: PairingID(handshakeHash: channel.handshakeHash),
            peer: peer,
            settlingKey: channel.settlingKey,
            status: .notPaired,
            began: began
        )
    }

    /// Starts the comparison of digits once the record is written: from now on the other side may confirm.
    private mutating func compare(
        caller: PairingNonce,
        listener: PairingNonce,
        over channel: PairingChannel,
        saying last: [Action],
        at now: Duration
    ) -> [Action] {
        let record = record(of: channel)
        let digits = PairingDigits(transcript: transcript(of: channel), caller: caller, listener: listener)
        phase = .comparing(channel, Comparison(record: record))
        deadline = now + Self.comparisonLimit
        return [persist(record)] + last + [.compare(digits)]
    }

    private mutating func persist(_ record: PairingRecord) -> Action {
        id = record.id
        return .persist(record)
    }

    mutating func compare(
        _ channel: inout PairingChannel,
        _ comparison: Comparison,
        _ message: PairingMessage,
        at now: Duration
    ) throws -> [Action] {
        var comparison = comparison
        switch message {
        case .confirmation(let key) where comparison.theirKey == nil:
            comparison.theirKey = try AdvertisingKey(rawRepresentation: key)
            phase = .comparing(channel, comparison)
            return pairIfDue(at: now)
        case .refusal(let reason) where comparison.theirKey == nil:
            let done = Action.send(channel.seal(.done))
            phase = .over
            deadline = nil
            let record = comparison.record.withStatus(.notPaired, isReconciled: true)
            return [.update(record), done, .conclude(.notPaired(.remote(reason))), .close(lingers: true)]
        case .withdrawal where comparison.theirKey != nil:
            phase = .comparing(channel, comparison)
            guard !comparison.hasConfirmed else { return [] }
            return decline(.cancelled, at: now).map { action in
                if case .conclude = action { .conclude(.notPaired(.remote(.cancelled))) } else { action }
            }
        case .done where comparison.isPaired:
            let done = isCaller ? [] : [Action.send(channel.seal(.done))]
            phase = .over
            deadline = nil
            let record = comparison.record.withStatus(.paired, isReconciled: true)
            return [.update(record)] + done + [.close(lingers: !isCaller)]
        default: throw Self.unexpected(message)
        }
    }

    private static func unexpected(_ message: PairingMessage) -> HandoffError {
        HandoffError(.peerMisbehaved, "It sent an unexpected message: \(message.name).")
    }
}

extension PairingMessage {
    /// The kind of the message, for error messages.
    fileprivate var name: String {
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
