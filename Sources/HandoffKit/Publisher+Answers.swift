import AsyncSupport
import DBus
import FoundationEssentials
import HandoffBus
import Synchronization

/// What the daemon answers and reports.
extension Publisher {
    /// Processes an answer of the daemon.
    ///
    /// - Returns: what to report, if there is anything.
    func receive(_ answer: Answer) -> Notice? {
        state.withLock { state in
            guard answer.epoch == state.epoch else { return nil }
            if answer.step == .start, case .failure(let error) = answer.result {
                // State is sent when the daemon appears; the next change asks again for its start, even if the activity
                // that asked for it has ended.
                state.daemon = .absent(isAsked: false)
                return state.entries[answer.id].map { .failure($0.activity, error) }
            }
            guard answer.step != .start, var entry = state.entries[answer.id] else { return nil }
            defer { Self.send(answer.id, &state) }
            let notice = Self.apply(answer, to: &entry, &state)
            state.entries[answer.id] = entry
            return notice
        }
    }

    private static func apply(_ answer: Answer, to entry: inout Entry, _ state: inout State) -> Notice? {
        switch (answer.step, answer.result) {
        case (.create, .success(let values)):
            guard let path = try? values.decode(at: 0, as: ObjectPath.self) else { return nil }
            entry.publication.created(at: path)
            state.paths[path] = answer.id
        case (.create, .failure(let error)):
            entry.publication.notCreated(isFinal: !isAbsence(error))
            return .failure(entry.activity, error)
        case (.describe, .success(let values)):
            guard let properties = values.first?.stringDictionary else { return nil }
            return change(&entry) { $0.apply(description: properties) }
        case (.measure, let result):
            let size = (try? result.get())?.first?.unwrapped.uint32.map { Int($0) }
            entry.save?.result.fulfil(SaveResult(encodedSize: size, error: entry.save?.error.map { CocoaError($0) }))
            entry.save = nil
        // The activity has ended meanwhile.
        case (.describe, .failure): break
        case (_, .failure(let error)):
            if case .set = answer.step, entry.save?.error == nil { entry.save?.error = error }
            return .failure(entry.activity, error)
        case (_, .success): break
        }
        return nil
    }

    /// Takes in what the daemon reports about an object.
    ///
    /// - Returns: what to report, if there is anything.
    func objectChanged(_ path: ObjectPath, _ properties: [String: Value]) -> Notice? {
        state.withLock { state in
            guard let id = state.paths[path], var entry = state.entries[id] else { return nil }
            defer { state.entries[id] = entry }
            return Self.change(&entry) { $0.apply(signal: properties) }
        }
    }

    static func change(_ entry: inout Entry, _ change: (inout PublishedState) -> Void) -> Notice? {
        let old = entry.published
        change(&entry.published)
        entry.changes.note(entry.published.changes(since: old))
        guard let size = entry.published.encodedSize, SaveResult.sizeWarning(size) != nil,
            old.encodedSize.flatMap(SaveResult.sizeWarning) == nil, let activity = entry.activity
        else { return nil }
        return .largeActivity(activity, size)
    }
}
