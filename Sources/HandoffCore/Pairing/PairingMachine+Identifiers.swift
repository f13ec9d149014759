extension PairingMachine {
    /// The number of a channel; the service that performs the actions assigns it.
    package struct ChannelID: Hashable, Comparable, Sendable {
        package let rawValue: UInt64

        package init(rawValue: UInt64) {
            self.rawValue = rawValue
        }

        package static func < (left: ChannelID, right: ChannelID) -> Bool {
            left.rawValue < right.rawValue
        }
    }

    /// The number of a question to the user, which only the machine assigns; answers to older questions are ignored.
    package struct QuestionID: Hashable, Sendable {
        package let rawValue: UInt64
    }
}
