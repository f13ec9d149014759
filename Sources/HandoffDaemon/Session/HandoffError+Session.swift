import HandoffCore
import HandoffModel
import HandoffRadio
import HandoffWire

/// The errors of sessions that this device has requested, the same for every request.
extension HandoffError {
    /// The error for a channel that the peer closed without an answer.
    static let closedWithoutAnswer = HandoffError(
        .notTrusted,
        "The device closed the channel without an answer. Compare `handoffctl devices` there: if it trusts this one, "
            + "it was too busy, so try again; if not, pair them with `handoffctl pair`."
    )

    /// Whether it says that an entry has been replaced: its device has said so, or another advertisement of it was heard.
    var isAboutStaleEntry: Bool { code == .noLongerCurrent || code == .noSuchActivity }

    /// Returns the error for a device that did not answer in time.
    ///
    /// - Parameter clock: why a clock may be the reason, as the end of a sentence; nil when nothing speaks for that.
    static func noAnswer(from name: String, within limit: Duration, clock: String? = nil) -> HandoffError {
        let time = "\(limit.components.seconds) s"
        return HandoffError(
            .timedOut,
            clock.map { "\(name) cannot be reached: \($0). It did not answer within \(time)." }
                ?? "\(name) took longer than \(time) to answer; try again nearer to it."
        )
    }

    /// Returns the error for an answer to another question than the one that was asked.
    ///
    /// - Parameter wanted: what was requested, such as `the requested activity`.
    static func unexpectedAnswer(_ answer: Answer, from name: String, insteadOf wanted: String) -> HandoffError {
        let received =
            switch answer {
            case .activity: "an activity"
            case .noted: "that it has noted a report"
            case .circle: "its circle"
            case .settled: "the outcome of a pairing"
            case .stream: "a stream"
            case .refusal: "a refusal"
            }
        return HandoffError(.peerMisbehaved, "\(name) sent \(received) instead of \(wanted).")
    }

    /// Returns the error for a request that a device has refused.
    static func refused(_ refusal: Refusal, by name: String) -> HandoffError {
        switch refusal.code {
        case .denied:
            HandoffError(
                .denied,
                "A rule on \(name) gives this device nothing; `handoffctl rules` there lists it, and the person there can "
                    + "remove it."
            )
        case .noLongerCurrent: noLongerCurrent(on: name, insteadShowing: nil)
        case .notPaired:
            HandoffError(.notTrusted, "\(name) does not trust this device: pair them with `handoffctl pair`.")
        case .noSuchActivity:
            HandoffError(.continuationEnded, "The activity has ended on \(name); it accepts no more streams.")
        case .streamsNotSupported:
            HandoffError(.streamsNotSupported, "The app on \(name) does not accept continuation streams.")
        default:
            HandoffError(
                .peerRefused,
                refusal.message.isEmpty ? "\(name) refused without a reason." : "\(name) refused: \(refusal.message)"
            )
        }
    }

    /// Returns the error for an activity that its device does not show any more.
    ///
    /// - Parameters:
    ///   - name: the name of the device.
    ///   - current: what it shows now, as a person reads it; nil when it is nothing that is offered here.
    static func noLongerCurrent(on name: String, insteadShowing current: String?) -> HandoffError {
        let now = current.map { "It shows \($0) now: choose that, if you want it." } ?? "It offers nothing else now."
        return HandoffError(.noLongerCurrent, "\(name) does not show that activity any more. \(now)")
    }

    /// Creates the error for what could not be done because of an error of the radio.
    ///
    /// - Parameter advice: what follows the sentence of the error.
    init(_ error: RadioError, advice: String = "") {
        let code: Code =
            switch error.code {
            case .serviceAbsent: .noBluetoothService
            case .noAdapter: .noAdapter
            case .poweredOff: .bluetoothOff
            case .blocked: .bluetoothBlocked
            case .timedOut, .channelClosed: .peerUnreachable
            case .refused: .peerRefused
            default: .radioUnavailable
            }
        self.init(code, error.message + advice)
    }

    /// Returns the error for the user when a device cannot be reached.
    ///
    /// - Parameter clock: why a wrong clock may be the cause; nil when nothing speaks for that.
    static func explaining(_ error: RadioError, of name: String, clock: String? = nil) -> any Error {
        switch error.code {
        case .timedOut, .channelClosed:
            HandoffError(
                .peerUnreachable,
                "\(name) cannot be reached: \(clock ?? "bring it nearer and see that it is awake")."
            )
        case .refused:
            HandoffError(.peerRefused, "\(name) does not accept channels: is handoffd still running there?")
        default:
            error
        }
    }
}
