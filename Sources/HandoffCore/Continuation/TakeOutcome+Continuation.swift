package import HandoffWire

extension TakeOutcome {
    /// Creates the outcome of a take from the end of the continuation that took the activity.
    ///
    /// - Parameters:
    ///   - result: how it has ended.
    ///   - fallback: what was opened where no app continued the activity; nil for nothing.
    package init(_ result: Result<Continuation.Outcome, HandoffError>, opening fallback: Continuation.Fallback? = nil) {
        self =
            switch result {
            case .success(.app): .continued(.app)
            case .success(.browser): .continued(.browser)
            case .success(.document): .continued(.document)
            case .failure(let error) where error.code == .appFailed && fallback != nil:
                .failed(fallback == .browser ? .browserFailed : .viewerFailed)
            case .failure(let error): .failed(Reason(error.code))
            }
    }
}

extension TakeOutcome.Reason {
    /// Creates the reason for the origin from an error of this device.
    package init(_ code: HandoffError.Code) {
        self =
            switch code {
            case .userCancelled: .cancelled
            case .notContinuable, .noSuchApp, .documentIsProgram: .notContinuable
            case .appFailed: .appFailed
            case .documentMissing: .documentMissing
            default: .failed
            }
    }
}
