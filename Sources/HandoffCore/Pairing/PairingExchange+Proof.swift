import HandoffCrypto
import HandoffWire

/// What the digits are made of, and what people say of them.
extension PairingExchange {
    /// Begins the exchange of what the digits are made of, now that both sides have chosen each other.
    mutating func prove(at now: Duration) -> [Action] {
        guard case .proving(var channel, _) = phase else { return [] }
        deadline = now + Self.answerLimit
        hasTried = true
        guard isCaller else {
            phase = .proving(channel, .awaitingCommitment)
            return []
        }
        let nonce = PairingNonce.generate()
        let commitment = channel.seal(.commitment(nonce.commitment(to: transcript(of: channel))))
        phase = .proving(channel, .awaitingShare(nonce))
        return [.send(commitment)]
    }

    mutating func prove(
        _ channel: inout PairingChannel,
        _ proof: Proof,
        _ message: PairingMessage,
        at now: Duration
    ) throws -> [Action] {
        switch (proof, message) {
        case (_, .refusal(let reason)): return refused(reason)
        case (.awaitingChoice(let here, false), .choice):
            phase = .proving(channel, .awaitingChoice(here: here, there: true))
            return here ? prove(at: now) : []
        case (.awaitingCommitment, .commitment(let commitment)):
            unkept = channel
            let nonce = PairingNonce.generate()
            let share = Action.send(channel.seal(.share(nonce.bytes)))
            phase = .proving(channel, .awaitingReveal(nonce, commitment: commitment))
            // With this the other side may come to ask its person, and later how it has ended.
            return [keep(record(of: channel)), share]
        case (.awaitingShare(let nonce), .share(let bytes)):
            let theirs = try PairingNonce(bytes: bytes)
            unkept = channel
            let reveal = Action.send(channel.seal(.reveal(nonce.bytes)))
            return compare(caller: nonce, listener: theirs, over: channel, saying: [reveal], at: now)
        case (.awaitingReveal(let nonce, let commitment), .reveal(let bytes)):
            let theirs = try PairingNonce(bytes: bytes)
            guard theirs.commitment(to: transcript(of: channel)) == commitment else {
                throw HandoffError(.peerMisbehaved, "Its number is not the one that it has promised.")
            }
            unkept = channel
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
            standing: .notPaired,
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
        return [keep(record)] + last + [.compare(digits)]
    }

    private mutating func keep(_ record: PairingRecord) -> Action {
        id = record.id
        return .keep(record)
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
            let record = comparison.record.standing(.notPaired, isSettled: true)
            return [.note(record), done, .conclude(.notPaired(.there(reason))), .close(lingers: true)]
        case .withdrawal where comparison.theirKey != nil:
            phase = .comparing(channel, comparison)
            guard !comparison.hasConfirmed else { return [] }
            return decline(.cancelled, at: now).map { action in
                if case .conclude = action { .conclude(.notPaired(.there(.cancelled))) } else { action }
            }
        case .done where comparison.isPaired:
            let done = isCaller ? [] : [Action.send(channel.seal(.done))]
            phase = .over
            deadline = nil
            let record = comparison.record.standing(.paired, isSettled: true)
            return [.note(record)] + done + [.close(lingers: !isCaller)]
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
