extension PairingMachine {
    /// What a request waits for.
    enum Phase: Hashable, Sendable {
        case searching
        /// The user was asked to choose.
        case choosing(QuestionID)
        case chosen(Candidate, by: Chooser)
        case over

        /// The channel of the chosen device; nil for none.
        var chosenChannel: ChannelID? {
            if case .chosen(let chosen, _) = self { chosen.channel } else { nil }
        }
    }

    /// Who has chosen a device.
    enum Chooser: Hashable, Sendable {
        case user
        /// This device itself, because it knew no other; reconsidered when another one introduces itself.
        case machine
    }
}
