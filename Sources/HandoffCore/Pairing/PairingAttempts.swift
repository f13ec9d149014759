import HandoffModel
import HandoffWire

/// The attempts of one request at pairing with a chosen device, and the errors that end the request.
struct PairingAttempts: Sendable {
    /// What follows from the end of an attempt.
    enum Consequence: Sendable {
        case finish(PairingMachine.Outcome)
        /// Another attempt may succeed; the id is that of the pairing that has failed if the other side may wait for an
        /// answer.
        case retry(HandoffError, abandoned: PairingID?)
    }

    /// How many attempts at comparing digits are allowed, since each is one guess for a man in the middle.
    private static let maximumGuesses = 3

    /// The number of attempts in which the digits could have been guessed.
    private var guesses = 0
    private var isCancelled = false
    /// The name of the last device on which another one was chosen.
    private var chosenElsewhere: DeviceName?
    /// The last attempt that was lost after its record was written, and the error to report for it.
    private var abandoned: (id: PairingID, error: HandoffError)?

    /// The error after a search without a result.
    var noDeviceFound: HandoffError {
        chosenElsewhere.map(Self.chosenElsewhere) ?? Self.noDeviceFound
    }

    /// Returns the error of the abandoned attempt; nil when the id is that of another one.
    func error(ofAbandoned id: PairingID) -> HandoffError? {
        abandoned?.id == id ? abandoned?.error : nil
    }

    /// Allows no further attempt.
    mutating func cancel() {
        isCancelled = true
    }

    /// Handles the refusal of a device on which another one was chosen; its name is nil if it was no candidate here.
    mutating func wasNotChosen(by name: DeviceName?) {
        chosenElsewhere = name
    }

    /// Handles the end of an attempt.
    mutating func conclude(_ outcome: PairingExchangeOutcome, with peer: DeviceIdentity) -> Consequence {
        switch outcome {
        case .paired: return .finish(.paired(peer))
        case .unconfirmed: return .finish(.unconfirmed(peer, Self.unconfirmed(peer.name)))
        case .notPaired(let cause, let progress):
            if progress != .introduction { guesses += 1 }
            guard guesses < Self.maximumGuesses else { return .finish(.notPaired(Self.tooManyGuesses)) }
            guard !isCancelled, cause.isRetryable(after: progress) else {
                return .finish(.notPaired((isCancelled ? .local(.cancelled) : cause).error(peer.name)))
            }
            let error = cause.error(peer.name)
            guard case .record(let id) = progress else {
                abandoned = nil
                return .retry(error, abandoned: nil)
            }
            abandoned = (id, error)
            return .retry(error, abandoned: id)
        }
    }

    /// The error when no candidate was chosen in time.
    static let noChoice = HandoffError(
        .timedOut,
        "Several devices were found, and none of them was chosen in time; nothing was paired."
    )

    /// The error after the user has stopped the request.
    static let cancelled = HandoffError(.userCancelled, "You have stopped the pairing; nothing was paired.")

    /// Returns the error when the chosen device did not choose this one in time.
    static func undecided(_ name: DeviceName) -> HandoffError {
        HandoffError(.timedOut, "This device was not chosen on \(name) in time; nothing was paired.")
    }

    /// Returns the error when both users have confirmed, and this device could not save it.
    static func unsaved(_ name: DeviceName, _ error: HandoffError) -> HandoffError {
        HandoffError(
            .unconfirmed,
            "Both users have confirmed, but this device cannot save it: \(error.message) Until it can, and has met \(name) again, "
                + "`handoffctl devices` shows \(name) as unconfirmed here, and it is not trusted."
        )
    }

    private static let noDeviceFound = HandoffError(
        .timedOut,
        "No other pairing device was found. Run `handoffctl pair` on both within two minutes, near each other."
    )

    private static let tooManyGuesses = HandoffError(
        .notPaired,
        "Comparing the digits failed \(maximumGuesses) times, which may be an attack; nothing was paired. "
            + "Try again elsewhere, or use cards (`handoffctl devices card`)."
    )

    private static func chosenElsewhere(_ name: DeviceName) -> HandoffError {
        HandoffError(
            .timedOut,
            "\(name) was found, and another device was chosen there; nothing was paired here. Run `handoffctl pair` again on "
                + "both, and choose this device there."
        )
    }

    private static func unconfirmed(_ name: DeviceName) -> HandoffError {
        HandoffError(
            .unconfirmed,
            "You have confirmed, but \(name) has not answered. If its user confirms too, both devices learn it when they next "
                + "meet. Until then `handoffctl devices` shows it as unconfirmed, and it is not trusted."
        )
    }
}
