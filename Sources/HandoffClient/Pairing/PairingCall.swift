import DBus
package import HandoffBus

/// A call of the daemon to the pairing agent of a program.
package enum PairingCall: Hashable, Sendable {
    /// The number by which the program answers a question; the same for no two questions.
    package typealias QuestionID = UInt64

    case choice([PairingCandidate], QuestionID)
    case digits(String, name: String, device: String, QuestionID)
    /// The last question needs no answer; why.
    case cancelled(String)
    case paired(device: String, name: String)
    case failed(PairingFailure)
}

/// An answer to a question of the daemon.
package enum PairingAnswer: Hashable, Sendable {
    case device(UInt64)
    case areSame(Bool)
    /// There is no answer, which ends the pairing.
    case withdrawn
}

/// Why nothing was paired, or the outcome is unknown.
package struct PairingFailure: Hashable, Sendable {
    /// The full name of the error.
    package let error: String
    /// A sentence for people.
    package let message: String

    package init(error: String, message: String) {
        (self.error, self.message) = (error, message)
    }

    package init(_ name: HandoffErrorName, _ message: String) {
        self.init(error: name.errorName.description, message: message)
    }

    /// The daemon's name for it; nil for unknown ones.
    package var name: HandoffErrorName? { HandoffErrorName(try? ErrorName(error)) }
}

/// The devices that a person may choose, as they are told apart on a screen.
extension [PairingCandidate] {
    /// The first half of an id tells two devices of one name apart.
    private static var idDigits: Int { 8 }

    /// Returns the name of each device as it is shown, and the first digits of its id where another one is shown by that
    /// name; nil elsewhere.
    ///
    /// - Parameter shown: returns a name as it is shown.
    package func titles(_ shown: (String) -> String) -> [(name: String, id: String?)] {
        map { candidate in
            let name = shown(candidate.name)
            let isUnique = count { shown($0.name) == name } == 1
            return (name, isUnique ? nil : String(candidate.device.prefix(Self.idDigits)))
        }
    }
}
