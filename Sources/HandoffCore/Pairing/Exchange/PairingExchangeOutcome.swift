import HandoffModel
package import HandoffWire

/// How an exchange with one device has ended on this side.
package enum PairingExchangeOutcome: Hashable, Sendable {
    /// Both people have confirmed.
    case paired
    /// The person here has confirmed, and nobody knows about the one there.
    case unconfirmed
    /// The two are not paired.
    case notPaired(Cause)

    /// Why two devices are not paired.
    package enum Cause: Hashable, Sendable {
        /// The channel has ended.
        case channelClosed
        /// The other side has not answered in time.
        case timedOut
        /// The other side, or somebody in between, has broken the protocol.
        case misbehaved(String)
        /// This side has ended it.
        case local(PairingMessage.Reason)
        /// The other side has ended it.
        case remote(PairingMessage.Reason)
        /// What has to be remembered cannot be written down.
        case unwritable(HandoffError)
    }
}

extension PairingExchangeOutcome.Cause {
    /// Whether nobody has decided this, so that another try may succeed.
    var isRetryable: Bool {
        switch self {
        case .channelClosed, .timedOut, .misbehaved, .remote(.notChosen): true
        case .local, .remote, .unwritable: false
        }
    }

    /// The error for the person here.
    ///
    /// - Parameter name: what the other device is called.
    func error(_ name: DeviceName) -> HandoffError {
        switch self {
        case .channelClosed:
            HandoffError(
                .notPaired,
                "The connection to \(name) was lost, and nothing was paired: try again nearer to it."
            )
        case .timedOut:
            HandoffError(.notPaired, "\(name) did not answer in time, and nothing was paired: try again nearer to it.")
        case .misbehaved(let what):
            HandoffError(
                .notPaired,
                "Nothing was paired, because something disturbs the connection to \(name): \(what)"
            )
        case .local(let reason): Self.error(local: reason, name)
        case .remote(let reason): Self.error(remote: reason, name)
        case .unwritable(let error): error
        }
    }

    private static func error(local reason: PairingMessage.Reason, _ name: DeviceName) -> HandoffError {
        switch reason {
        case .digitsDiffer:
            HandoffError(
                .userCancelled,
                "You said that the digits differ, so nothing was paired. If they did, somebody may be in between: try "
                    + "again elsewhere, or trust \(name) by its card."
            )
        case .tooSlow:
            HandoffError(.timedOut, "Nobody said in time whether the digits are the same, so nothing was paired.")
        case .cancelled: HandoffError(.userCancelled, "You have stopped the pairing; nothing was paired.")
        case .notChosen: HandoffError(.userCancelled, "You have chosen another device than \(name).")
        case .failed, .tooManyTries: HandoffError(.notPaired, "Nothing was paired with \(name): begin again.")
        }
    }

    private static func error(remote reason: PairingMessage.Reason, _ name: DeviceName) -> HandoffError {
        switch reason {
        case .digitsDiffer:
            HandoffError(
                .notPaired,
                "Somebody said on \(name) that the digits differ, so nothing was paired. If they did, somebody may be in "
                    + "between: try again elsewhere."
            )
        case .tooSlow:
            HandoffError(
                .notPaired,
                "Nobody said in time on \(name) whether the digits are the same, so nothing was paired."
            )
        case .cancelled: HandoffError(.notPaired, "The pairing was stopped on \(name); nothing was paired.")
        case .notChosen: HandoffError(.notPaired, "\(name) pairs with another device this time.")
        case .failed, .tooManyTries:
            HandoffError(.notPaired, "\(name) has ended the pairing; nothing was paired: begin again on both.")
        }
    }
}
