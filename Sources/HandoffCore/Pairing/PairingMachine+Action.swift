package import HandoffCrypto
package import HandoffWire

extension PairingMachine {
    /// An action to perform; actions are performed in the given order.
    package enum Action: Hashable, Sendable {
        /// Opens a channel to a device that was heard.
        case dial(PairingToken)
        case send(ChannelID, [UInt8])
        /// Closes a channel; a lingering one only after a delay, unless the other side closes it first.
        case close(ChannelID, lingers: Bool)
        /// Asks the user which of several devices to pair with.
        case offer(QuestionID, [Candidate])
        /// Asks the user whether the other device shows the same digits.
        case compare(QuestionID, PairingDigits, DeviceIdentity)
        /// The last question no longer needs an answer; the sentence gives the reason.
        case withdrawQuestion(String)
        /// Writes a record before anything else is done.
        case persist(ChannelID, PairingRecord)
        /// Writes a record; a failure has no consequences.
        case update(PairingRecord)
        /// This pairing has failed here, but the other side may wait for an answer: reconciles it if so.
        case abandon(PairingID)
        /// Adds a device to the circle.
        case trust(ChannelID, DeviceIdentity, AdvertisingKeyRecord)
        /// Reports the outcome to the user.
        case finish(Outcome)
    }

    /// A device that the user can choose.
    package struct Candidate: Hashable, Sendable {
        package let channel: ChannelID
        package let peer: DeviceIdentity
    }

    /// The outcome for the local user.
    package enum Outcome: Hashable, Sendable {
        /// Both devices trust each other.
        case paired(DeviceIdentity)
        /// The local user has confirmed; whether the remote user has is unknown.
        case unconfirmed(DeviceIdentity, HandoffError)
        /// Nothing was paired, for the given reason.
        case notPaired(HandoffError)
    }
}
