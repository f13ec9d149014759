import HandoffModel
package import HandoffWire

/// The outcome of an exchange with one device on this side.
package enum PairingExchangeOutcome: Hashable, Sendable {
    /// Both users have confirmed.
    case paired
    /// The local user has confirmed; whether the remote user has is unknown.
    case unconfirmed
    /// The two are not paired.
    case notPaired(Cause, after: Progress)

    /// How far an exchange has come.
    package enum Progress: Hashable, Sendable {
        /// The digits could not be guessed yet.
        case introduction
        /// The digits could be guessed.
        case commitment
        /// The digits could be guessed, and the other side may ask for the outcome of the pairing with that id.
        case record(PairingID)
    }

    /// Why two devices are not paired.
    package enum Cause: Hashable, Sendable {
        /// The channel has ended.
        case channelClosed
        /// The other side did not answer in time.
        case timedOut
        /// The other side, or an attacker on the channel, has broken the protocol.
        case misbehaved(String)
        /// This side has ended it.
        case local(PairingMessage.Reason)
        /// The other side has ended it.
        case remote(PairingMessage.Reason)
        /// The record cannot be written.
        case unwritable(HandoffError)
    }
}

extension PairingExchangeOutcome.Cause {
    /// Whether no user has decided this, so that another attempt may succeed.
    ///
    /// A device that shows digits chooses no other one. One that claims so may know the advertising key in this side's
    /// confirmation, which another attempt of the request would use.
    func isRetryable(after progress: PairingExchangeOutcome.Progress) -> Bool {
        switch (self, progress) {
        case (.remote(.notChosen), .record): false
        case (.channelClosed, _), (.timedOut, _), (.misbehaved, _), (.remote(.notChosen), _): true
        case (.local, _), (.remote, _), (.unwritable, _): false
        }
    }

    /// Returns the error to report to the local user.
    ///
    /// - Parameter name: the name of the other device.
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
                "Nothing was paired, because of an error on the connection to \(name): \(what)"
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
                "You said that the digits differ, so nothing was paired. If they did, this may be an attack: try "
                    + "again elsewhere, or trust \(name) by its card."
            )
        case .tooSlow:
            HandoffError(.timedOut, "The digits were not compared in time, so nothing was paired.")
        case .cancelled: HandoffError(.userCancelled, "You have stopped the pairing; nothing was paired.")
        case .notChosen: HandoffError(.userCancelled, "You chose a device other than \(name).")
        case .failed, .tooManyTries: HandoffError(.notPaired, "Nothing was paired with \(name): begin again.")
        }
    }

    private static func error(remote reason: PairingMessage.Reason, _ name: DeviceName) -> HandoffError {
        switch reason {
        case .digitsDiffer:
            HandoffError(
                .notPaired,
                "The user of \(name) said that the digits differ, so nothing was paired. If they did, this may be an "
                    + "attack: try again elsewhere."
            )
        case .tooSlow:
            HandoffError(
                .notPaired,
                "The digits were not compared in time on \(name), so nothing was paired."
            )
        case .cancelled: HandoffError(.notPaired, "The pairing was stopped on \(name); nothing was paired.")
        case .notChosen: HandoffError(.notPaired, "\(name) is pairing with another device.")
        case .failed, .tooManyTries:
            HandoffError(.notPaired, "\(name) has ended the pairing; nothing was paired: begin again on both.")
        }
    }
}
