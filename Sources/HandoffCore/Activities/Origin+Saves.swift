package import HandoffModel
package import HandoffWire

/// Requests that wait for apps, which save first.
extension Origin {
    /// Returns what a request has to wait for: an app that has newer state is asked once for all requests in the
    /// meantime.
    ///
    /// A preview waits for nothing, unless it asks for the newest state. The activity's `needsSave` is cleared: changes
    /// after the app was asked set it again.
    package mutating func prepare(for request: FetchRequest, at now: Moment) -> Preparation {
        applyChange(at: now) { _ in }
        guard request.purpose.asksToSave, let record = record(for: request, at: now) else { return .ready }
        if saves.isOpen(record.id) { return saves.isAwaited(record.id) ? .saving(record.id, asking: nil) : .ready }
        guard record.needsSave, record.delegate != nil else { return .ready }
        register.setNeedsSave(false, of: record.id)
        return .saving(record.id, asking: saves.begin(record.id, at: now))
    }

    /// Returns whether requests for that activity have to wait for its app.
    package func isSaving(_ id: ActivityID) -> Bool { saves.isAwaited(id) }

    /// A number that changes whenever requests stop waiting for an app.
    package var saveCompletions: UInt64 { saves.completions }

    /// Records an app's answer; returns false when the request was over already.
    ///
    /// An app that could not save still has newer state.
    package mutating func saveEnded(_ saveRequest: SaveRequests.Request, _ outcome: SaveRequests.Outcome) -> Bool {
        guard saves.end(saveRequest) else { return false }
        if outcome != .saved { register.setNeedsSave(true, of: saveRequest.activity) }
        return true
    }

    /// Ends the wait for apps that are late, and returns their activities.
    package mutating func expireSaves(at now: Moment) -> [ActivityID] {
        saves.expire(at: now)
    }
}
