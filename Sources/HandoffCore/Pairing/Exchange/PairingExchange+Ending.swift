import HandoffCrypto
import HandoffWire

/// The ways in which an exchange ends.
extension PairingExchange {
    /// Trusts the other side once both users have confirmed.
    mutating func pairIfDue(at now: Duration) -> [Action] {
        guard case .comparing(var channel, var comparison) = phase, comparison.hasConfirmed,
            let key = comparison.theirKey
        else { return [] }
        comparison.record = comparison.record.withStatus(.paired)
        // The listener answers this message, so that each side learns that the other knows the outcome.
        let done = isCaller ? [Action.send(channel.seal(.done))] : []
        phase = .comparing(channel, comparison)
        deadline = now + Self.closeLimit
        return [.trust(comparison.record.peer, key), .update(comparison.record)] + done + [.conclude(.paired)]
    }

    /// Handles a message after this side has sent a refusal: `done` acknowledges it.
    mutating func receiveClosing(
        _ record: PairingRecord,
        _ message: PairingMessage,
        _ channel: PairingChannel
    ) throws -> [Action] {
        guard message == .done else {
            // The peer may have sent other messages before it received the refusal.
            phase = .declined(channel, record)
            return []
        }
        phase = .over
        deadline = nil
        return [.update(record.withStatus(.notPaired, isReconciled: true)), .close(lingers: false)]
    }

    mutating func refused(_ reason: PairingMessage.Reason) -> [Action] {
        phase = .over
        deadline = nil
        return [.conclude(.notPaired(.remote(reason))), .close(lingers: false)]
    }

    /// Ends the exchange without sending anything; the outcome depends on what was sent before.
    mutating func end(_ cause: PairingExchangeOutcome.Cause) -> [Action] {
        defer {
            phase = .over
            deadline = nil
        }
        let close = Action.close(lingers: false)
        switch phase {
        case .over: return []
        case .declined: return [close]
        case .comparing(_, let comparison) where comparison.isPaired: return [close]
        case .comparing(_, let comparison) where comparison.hasConfirmed: return [.conclude(.unconfirmed), close]
        case .handshaking, .introducing, .committing, .comparing: return [.conclude(.notPaired(cause)), close]
        }
    }
}
