import DBus
import HandoffCore
import HandoffModel
import HandoffWire

extension Engine {
    /// What a device gets, and which activity that is.
    struct Given: Sendable {
        let answer: Answer
        /// Nil for a refusal.
        let activity: ActivityRegister.ID?
        /// What was asked about a pairing; nil for anything else.
        var settling: SettleRequest?
    }

    /// The answer to a trusted device that asks for the current activity.
    ///
    /// If its app has newer state than it has told, the app is asked for it first, and waited for within
    /// `SaveRounds.patience`.
    ///
    /// - Throws: `CancellationError` when the task is cancelled meanwhile.
    func answer(to request: FetchRequest) async throws -> Given {
        var endings = saveEndings.current
        if let id = prepare(for: request) {
            while read({ $0.origin.isSaving(id) }) { endings = try await saveEndings.changed(since: endings) }
        }
        let given = read { state in
            let now = Moment.now
            return Given(
                answer: state.origin.answer(to: request, at: now),
                activity: state.origin.given(to: request, at: now)?.id
            )
        }
        // Where a file is, the file system is asked, and not under the engine's mutex.
        return Given(answer: sharing(given.answer), activity: given.activity)
    }

    /// The answer to a trusted device that asks for a stream.
    func answer(to request: StreamRequest, from device: DeviceID) -> Given {
        let (answer, activity) = read { $0.origin.answer(to: request, from: device) }
        return Given(answer: answer, activity: activity)
    }

    /// Gives the app of an activity its end of a stream that a device has opened, and waits until it has taken it.
    ///
    /// - Throws: ``HandoffError`` with `noSuchActivity` when the activity has ended meanwhile, `peerRefused` when the app
    ///   does not take it.
    func hand(_ file: UnixFD, to id: ActivityRegister.ID, openedBy device: DeviceID) async throws {
        let taken = Latest<Bool?>(nil)
        try change { state, _ throws(HandoffError) in
            let record = try state.origin.activity(id)
            let name = state.devices[device]?.name.rawValue ?? device.description
            state.outbox.append(.streamOpened(record, by: device, name: name, file, taken))
        }
        guard try await taken.changed(since: taken.initial).value == true else {
            throw HandoffError(.peerRefused, "The app of the activity did not take the stream.")
        }
    }

    /// Takes in how an app answered when it was asked to save.
    func saveEnded(_ round: SaveRounds.Round, _ ending: SaveRounds.Ending) {
        change { state, _ in
            guard let before = try? state.origin.activity(round.activity), state.origin.saveEnded(round, ending) else {
                return
            }
            state.outbox.append(.saveEnded(round.activity, ending))
            state.showChange(since: before)
        }
    }

    /// Takes in that an answer is on its way to a device; it may be anybody who replays that device's request.
    func gave(_ given: Given, to device: DeviceID) {
        guard let id = given.activity, case .activity(let activity) = given.answer else { return }
        change { state, _ in state.outbox.append(.fetched(id, by: device, activity)) }
    }

    /// Takes in that a device has acknowledged an answer, which only itself can do.
    func acknowledged(_ given: Given, by device: DeviceID) {
        guard let id = given.activity, case .activity = given.answer else { return }
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
            let before = state.origin.given(to: request, at: now)
            guard case .saving(let id, let round) = state.origin.prepare(for: request, at: now) else { return nil }
            if let round, let before {
                state.outbox.append(.saveRequested(before, round))
                state.showChange(since: before)
            }
            return id
        }
    }
}
