import HandoffCrypto
import HandoffWire

/// What the digits are made of, and what people say of them.
extension PairingExchange {
    /// Begins the exchange of what the digits are made of, now that both sides have chosen each other.
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
            // With this the other side may come to ask its person, and later how it has ended.
            return [persist(record(of: channel)), share]
        case (.awaitingShare(let nonce), .share(let bytes)):
            let theirs = try PairingNonce(bytes: bytes)
            channelBeforeRecord = channel
            let reveal = Action.send(channel.seal(.reveal(nonce.bytes)))
            return compare(caller: nonce, listener: theirs, over: channel, saying: [reveal], at: now)
        case (.awaitingReveal(let nonce, let commitment), .reveal(let bytes)):
            let theirs = try PairingNonce(bytes: bytes)
            guard theirs.commitment(to: transcript(of: channel)) == commitment else {
                throw HandoffError(.peerMisbehaved, "Its number is not the one that it has promised.")
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

    /// What is remembered as long as the person here has not said yes.
    private func record(of channel: PairingChannel) -> PairingRecord {
        guard let peer else { preconditionFailure("who proves itself has introduced itself") }
        return PairingRecord(
            id: PairingID(handshakeHash: channel.handshakeHash),
            peer: peer,
            settlingKey: channel.settlingKey,
            status: .notPaired,
            began: began
        )
    }

    /// Has people compare the digits, once this is written down: from now on the other side may come to say yes.
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
        HandoffError(.peerMisbehaved, "It says \(message.name) where that makes no sense.")
    }
}

extension PairingMessage {
    /// The kind of the message, for a sentence.
    fileprivate var name: String {
        switch self {
        case .introduction: "who it is"
        case .choice: "that it has chosen"
        case .commitment: "what it promises"
        case .share, .reveal: "its number"
        case .confirmation: "yes"
        case .refusal: "no"
        case .withdrawal: "that it wants to stop"
        case .done: "that it is done"
        }
    }
}
