extension Continuation.Response {
    /// Creates the response of a program that was given an activity, from its exit status (sysexits.h).
    ///
    /// - Parameters:
    ///   - program: its name, for the user.
    ///   - status: its exit status, or 128 plus the number of the signal that has ended it.
    ///   - isEarly: whether it has ended so soon that the user has not seen it wait.
    package init(of program: String, status: Int32, isEarly: Bool) {
        let reason = Self.reason(program, status)
        self =
            switch status {
            case 0: .accepted
            // EX_DATAERR, EX_NOINPUT and EX_TEMPFAIL. Another app would open what this one has examined, or waits for.
            case 65:
                .refused(
                    HandoffError(.notContinuable, "\(program) refuses the activity or its document. Nothing is opened.")
                )
            case 66:
                .refused(HandoffError(.notContinuable, "\(program) finds no document to open. Nothing is opened."))
            case 75:
                .refused(HandoffError(.appFailed, "\(program) cannot open it now. Nothing is opened: try again later."))
            default: isEarly ? Self(endedEarly: status, reason) : .failedLate(reason)
            }
    }

    /// Creates the response of a program that knows nothing of Handoff, and was given a web page or a document, from its
    /// exit status.
    package init(ofCommand program: String, status: Int32) {
        self = status == 0 ? .accepted : Self(endedEarly: status, Self.reason(program, status))
    }

    /// From 126 on, a shell could not run it, or a signal has ended it.
    private init(endedEarly status: Int32, _ reason: String) {
        self = status < 126 ? .declined(reason) : .failed(reason)
    }

    private static func reason(_ program: String, _ status: Int32) -> String {
        "\(program) ended with the status \(status)."
    }
}
