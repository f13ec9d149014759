package import HandoffWire

extension PairingMachine {
    /// Something that has happened.
    package enum Event: Sendable {
        /// The advertisement of a pairing device was received.
        case heard(PairingToken)
        /// A dial has succeeded.
        case opened(ChannelID, PairingToken)
        /// A dial has failed.
        case dialFailed(PairingToken)
        /// A peer has dialled this device.
        case accepted(ChannelID)
        /// Bytes have arrived on a channel.
        case received(ChannelID, [UInt8])
        /// A channel has ended.
        case closed(ChannelID)
        /// The user has chosen one of several devices, or none of them.
        case chose(QuestionID, ChannelID?)
        /// The user has compared the digits.
        case compared(QuestionID, areSame: Bool)
        /// The user has not answered a question, and will not.
        case unanswered(QuestionID)
        /// The user has cancelled pairing or left.
        case cancelled
        /// The radio can no longer be used, for the given reason.
        case radioFailed(HandoffError)
        /// A record could not be written, and the actions that followed it were not performed.
        case persistFailed(ChannelID, HandoffError)
        /// A device could not be added to the circle, and the actions that followed were not performed.
        case trustFailed(ChannelID, DeviceIdentity, HandoffError)
        /// A pairing that ``Action/abandon(_:)`` named is reconciled: the devices are not paired, and both know it.
        case reconciled(PairingID)
        /// The moment that ``PairingMachine/deadline`` named has come.
        case tick
    }
}
