import AsyncSupport
import DBus
import HandoffCore
import HandoffModel
import HandoffWire

extension Engine {
    /// What a device gets, and which activity that is.
    struct PreparedAnswer: Sendable {
        let answer: Answer
        /// Nil for a refusal.
        let activity: ActivityRegister.ID?
        /// What was asked about a pairing; nil for anything else.
        var reconciliation: SettleRequest?
    }

    /// The answer to a trusted device that asks for the current activity.
    ///
    /// If its app has newer state than it has told, the app is asked for it first, and waited for within
    /// `SaveRequests.timeout`.
    ///
    /// - Throws: `CancellationError` when the task is cancelled meanwhile.
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
        // Where a file is, the file system is asked, and not under the engine's mutex.
        return PreparedAnswer(answer: withSharedDocuments(prepared.answer), activity: prepared.activity)
    }

    /// The answer to a trusted device that asks for a stream.
    func answer(to request: StreamRequest, from device: DeviceID) -> PreparedAnswer {
        let (answer, activity) = read { $0.origin.answer(to: request, from: device) }
        return PreparedAnswer(answer: answer, activity: activity)
    }

    /// Gives the app of an activity its end of a stream that a device has opened, and waits until it has taken it.
    ///
    /// - Throws: ``HandoffError`` with `noSuchActivity` when the activity has ended meanwhile, `peerRefused` when the app
    ///   does not take it.
    func deliverStream(_ file: UnixFD, to id: ActivityRegister.ID, openedBy device: DeviceID) async throws {
        let taken = Promise<Bool>()
        try change { state, _ throws(HandoffError) in
            let record = try state.origin.activity(id)
            let name = state.devices[device]?.name.rawValue ?? device.description
            state.outbox.append(.streamOpened(record, by: device, name: name, file, taken))
        }
        guard try await taken.value() else {
            throw HandoffError(.peerRefused, "The app of the activity did not take the stream.")
        }
    }

    /// Takes in how an app answered when it was asked to save.
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

    /// Takes in that an answer is on its way to a device; it may be anybody who replays that device's request.
    func didSendAnswer(_ prepared: PreparedAnswer, to device: DeviceID) {
        guard let id = prepared.activity, case .activity(let activity) = prepared.answer else { return }
        change { state, _ in state.outbox.append(.fetched(id, by: device, activity)) }
    }

    /// Takes in that a device has acknowledged an answer, which only itself can do.
    func acknowledged(_ prepared: PreparedAnswer, by device: DeviceID) {
        guard let id = prepared.activity, case .activity = prepared.answer else { return }
        change { state, _ in
            guard let record = try? state.origin.activity(id) else { return }
            state.origin.acknowledged(id, by: device)
            let name = state.devices[device]?.name.rawValue ?? device.description
            state.outbox.append(.continued(record, by: device, name: name))
        }
    }

    /// The activity for whose app the request has to wait, if it has to; the app is asked unless it was already.
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
