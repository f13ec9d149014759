package import DBus
package import HandoffClient

/// What a person does in the window.
package enum UserEvent: Hashable, Sendable {
    /// Looks at another page.
    case showed(PageName)
    /// Turned to the window, or away from it.
    case focused(Bool)
    /// Asks again for a daemon that is absent.
    case retry

    /// Continues an activity; the token lets its app take the focus.
    case continueActivity(ObjectPath)
    case cancelContinuation(ObjectPath)

    /// Looks for a device to pair with.
    case pair
    case stopPairing
    /// Chooses the device of that number, of those that this question shows.
    case choose(UInt64, PairingCall.QuestionID)
    /// Says whether both devices show the digits of this question.
    case compared(areSame: Bool, PairingCall.QuestionID)
    /// Has read how the pairing ended.
    case leavePairing

    /// Wants to give a device another name.
    case rename(device: String)
    /// Wants to remove a device.
    case remove(device: String)
    /// Trusts a device about which there is a question.
    case keep(device: String)
    /// Wants to remove a device about which there is a question.
    case drop(device: String)
    /// Forgets an unconfirmed pairing.
    case forget(device: String)

    /// Pauses for that many minutes; 0 for no end.
    case pause(minutes: UInt64)
    case resume
    case setReceiveOnly(Bool)
    /// Denies something, or removes the rule about it.
    case deny(kind: String, value: String, Bool)
    /// Wants to write a rule of a kind.
    case addRule(kind: String)

    /// Wants to know what is wrong with this computer.
    case examine
    /// Answers the question that is open.
    case answer(QuestionAnswer)
    /// Closed the window.
    case closed
}

/// The answer to a question in a window of its own.
package struct QuestionAnswer: Hashable, Sendable {
    /// The number of the question: another one may have taken its place before the answer is handled.
    package let question: UInt64
    /// The name of the response; that of closing the question is `cancel`.
    package let response: String
    /// What was written; empty where nothing could be.
    package let text: String
    /// The ids of what was marked.
    package let marked: Set<String>

    package init(to question: UInt64, response: String, text: String = "", marked: Set<String> = []) {
        (self.question, self.response, self.text, self.marked) = (question, response, text, marked)
    }
}
