import AsyncSupport
import DBus
import HandoffCore
import HandoffModel
import HandoffWire

extension Engine {
    /// An answer to a device, and the activity that it contains.
    struct PreparedAnswer: Sendable {
        let answer: Answer
        /// The activity; nil for a refusal.
        let activity: ActivityRegister.ID?
        /// The pairing that was asked about; nil for any other request.
        var reconciliation: SettleRequest?
    }

    /// Returns the answer to a trusted device that asks for the current activity.
    ///
    /// If the app has unsaved state, it is asked to save first; the answer waits for it, up to `SaveRequests.timeout`.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    func answer(to request: FetchRequest) async throws -> PreparedAnswer {
        var completions = saveCompletions.current
        if let id = prepare(for: request) {
            while read({ $0.origin.isSaving(id) }) {
                completions = try await saveCompletions.changed(since: completions)
            }
        }
        let prepared = read { state in
            let now = Moment.now
            return PreparedAnswer(
                answer: state.origin.answer(to: request, at: now),
                activity: state.origin.record(for: request, at: now)?.id
            )
        }
        // Finding a file may block in the file system, so it is done outside the engine's mutex.
        return PreparedAnswer(answer: withSharedDocuments(prepared.answer), activity: prepared.activity)
    }

    /// Returns the answer to a trusted device that asks for a stream.
    func answer(to request: StreamRequest, from device: DeviceID) -> PreparedAnswer {
        let (answer, activity) = read { $0.origin.answer(to: request, from: device) }
        return PreparedAnswer(answer: answer, activity: activity)
    }

    /// Passes the app of an activity its end of a stream that a device opened, and waits until the app has accepted it.
    ///
    /// - Throws: ``HandoffError`` with `noSuchActivity` when the activity has ended, `peerRefused` when the app does
    ///   not accept the stream.
    func deliverStream(_ file: UnixFD, to id: ActivityRegister.ID, openedBy device: DeviceID) async throws {
        let taken = Promise<Bool>()
        try change { state, _ throws(HandoffError) in
            let record = try state.origin.activity(id)
            let name = state.devices[device]?.name.rawValue ?? device.description
            state.outbox.append(.streamOpened(record, by: device, name: name, file, taken))
        }
        guard try await taken.value() else {
            throw HandoffError(.peerRefused, "The app of the activity did not accept the stream.")
        }
    }

    /// Records how an app answered a save request.
    func saveEnded(_ saveRequest: SaveRequests.Request, _ outcome: SaveRequests.Outcome) {
        change { state, _ in
            guard let before = try? state.origin.activity(saveRequest.activity),
                state.origin.saveEnded(saveRequest, outcome)
            else {
                return
            }
            state.outbox.append(.saveEnded(saveRequest.activity, outcome))
            state.showChange(since: before)
        }
    }

    /// Records that an answer is being sent; the receiver may still be an attacker who replays that device's request.
    func didSendAnswer(_ prepared: PreparedAnswer, to device: DeviceID) {
        guard let id = prepared.activity, case .activity(let activity) = prepared.answer else { return }
        change { state, _ in state.outbox.append(.fetched(id, by: device, activity)) }
    }

    /// Records that a device has acknowledged an answer, which proves that it is that device.
    func acknowledged(_ prepared: PreparedAnswer, by device: DeviceID) {
        guard let id = prepared.activity, case .activity = prepared.answer else { return }
        change { state, _ in
            guard let record = try? state.origin.activity(id) else { return }
            state.origin.acknowledged(id, by: device)
            let name = state.devices[device]?.name.rawValue ?? device.description
            state.outbox.append(.continued(record, by: device, name: name))
        }
    }

    /// Returns the activity whose save the request has to wait for, or nil; asks its app to save unless it was already
    /// asked.
    private func prepare(for request: FetchRequest) -> ActivityRegister.ID? {
        change { state, now in
            let before = state.origin.record(for: request, at: now)
            guard case .saving(let id, let saveRequest) = state.origin.prepare(for: request, at: now) else {
                return nil
            }
            if let saveRequest, let before {
                state.outbox.append(.saveRequested(before, saveRequest))
                state.showChange(since: before)
            }
            return id
        }
    }
}
