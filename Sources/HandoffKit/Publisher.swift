import AsyncSupport
import DBus
import FoundationEssentials
import HandoffBus
import HandoffModel
import Synchronization

/// All activities of a program, and the connection over which they are published to the daemon.
///
/// All changes happen under one lock, and calls to the daemon are sent in the order of that lock. Answers arrive
/// through ``receive(_:)``.
final class Publisher: Sendable {
    typealias ID = SerialID<Publisher>

    /// The path of the object that the daemon calls.
    static let delegatePath: ObjectPath = "/org/handoffd/HandoffKit"

    /// Something that the app or its developer should know.
    enum Notice {
        /// The daemon refused a call.
        case failure(UserActivity?, DBusError)
        /// The activity has become larger than recommended: its size.
        case largeActivity(UserActivity, Int)
    }

    /// The daemon's answer to a step.
    struct Answer: Sendable {
        let id: ID
        let step: Publication.Step
        let result: Result<[Value], DBusError>
        /// The epoch of the daemon that answered.
        let epoch: UInt64
    }

    struct Entry {
        var publication: Publication
        weak var activity: UserActivity?
        /// Retains the activity while it is current, even if the app has no reference to it.
        var current: UserActivity?
        var published = PublishedState()
        let changes = PropertyChanges()
        var save: Save?
    }

    /// A save whose answers are awaited.
    struct Save {
        let result: Promise<SaveResult?>
        /// The first error with which the daemon refused a part of the new state.
        var error: DBusError?
    }

    struct Attachment {
        let connection: Connection
        let answers: AsyncStream<Answer>.Continuation
    }

    /// The daemon to which calls are sent.
    enum Daemon {
        /// Whether there is one is not known yet.
        case unknown
        /// There is none; `isAsked`: whether the bus was asked to start one.
        case absent(isAsked: Bool)
        /// Its unique name on the bus, so that no call meant for it reaches its successor, which gets all state anyway.
        case present(BusName)
    }

    struct State {
        var daemon = Daemon.unknown
        var entries: [ID: Entry] = [:]
        var paths: [ObjectPath: ID] = [:]
        var lastID: ID = 0
        var lastTurn: UInt64 = 0
        /// Incremented with every daemon, so that answers of an earlier one can be recognised.
        var epoch: UInt64 = 0
        var attachment: Attachment?
        /// Whether all activities have ended.
        var isOver = false
    }

    let state = Mutex(State())

    /// The connection to the bus, if there is one.
    var connection: Connection? { state.withLock { $0.attachment?.connection } }

    /// Adds an activity; it is published once it becomes current.
    func insert(_ type: ActivityType, _ draft: ActivityDraft) -> ID {
        state.withLock { state in
            state.lastID = state.lastID.next
            let entry = Entry(publication: Publication(type: type, draft: draft))
            if state.isOver { entry.changes.end() }
            state.entries[state.lastID] = entry
            return state.lastID
        }
    }

    /// Sets the object of an activity.
    func bind(_ id: ID, to activity: UserActivity) {
        state.withLock { $0.entries[id]?.activity = activity }
    }

    /// The content of an activity; nil when it has ended.
    func draft(of id: ID) -> ActivityDraft? {
        state.withLock { $0.entries[id]?.publication.draft }
    }

    /// What the daemon reports about an activity.
    func published(_ id: ID) -> PublishedState {
        state.withLock { $0.entries[id]?.published } ?? PublishedState()
    }

    /// The changes of an activity from now on; none when it has ended.
    func changes(of id: ID) -> UserActivityChanges {
        let changes = state.withLock { state in state.entries[id].flatMap { $0.publication.isOver ? nil : $0.changes } }
        if let changes { return changes.sequence }
        let none = PropertyChanges()
        none.end()
        return none.sequence
    }

    /// Records a change of a property that the daemon does not know.
    func noteChange(of property: UserActivityProperty, _ id: ID) {
        state.withLock { $0.entries[id]?.changes.note([property]) }
    }

    /// Ends the observation of all activities.
    func endAll() {
        state.withLock { state in
            state.isOver = true
            for entry in state.entries.values { entry.changes.end() }
        }
    }

    /// Publishes an activity even while it is not current, so that the daemon follows its document.
    func keepPublished(_ id: ID) {
        update(id) { $0.publication.isKept = true }
    }

    /// Changes an activity; has no effect when it has ended.
    func change(_ id: ID, _ change: (inout ActivityDraft) -> Void) {
        update(id) { change(&$0.publication.draft) }
    }

    /// Makes an activity the most recent of those that became current.
    func becomeCurrent(_ id: ID) {
        update(id) { entry, turn in
            entry.publication.turn = turn
            entry.current = entry.activity
        }
    }

    /// Removes an activity from those that became current.
    func resignCurrent(_ id: ID) {
        // Release the reference after the lock: the deinitialiser of the activity acquires it again.
        var released: UserActivity?
        update(id) { entry in
            entry.publication.turn = nil
            released = entry.current.take()
        }
        withExtendedLifetime(released) {}
    }

    /// Ends an activity.
    func invalidate(_ id: ID) {
        var released: UserActivity?
        update(id) { entry in
            entry.publication.invalidate()
            released = entry.current.take()
        }
        withExtendedLifetime(released) {}
    }

    /// The activity of an object of the daemon.
    func activity(at path: ObjectPath) -> UserActivity? {
        state.withLock { state in state.paths[path].flatMap { state.entries[$0]?.activity } }
    }

    /// Whether an activity has ended.
    func isOver(_ id: ID) -> Bool {
        state.withLock { $0.entries[id]?.publication.isOver ?? true }
    }

    /// Stops sending changes of an activity while the app saves it.
    func beginSaving(_ id: ID) {
        update(id) { $0.publication.beginSaving() }
    }

    /// Sends the changes since ``beginSaving(_:)``, and waits for the daemon's answers to them.
    ///
    /// - Returns: nil if there is no daemon, or if it exits first.
    func endSaving(_ id: ID) async -> SaveResult? {
        let result = Promise<SaveResult?>()
        update(id) { entry in
            entry.publication.endSaving()
            entry.save?.result.fulfil(nil)
            entry.save = Save(result: result)
        }
        state.withLock { state in
            if let path = state.entries[id]?.publication.path, let attachment = state.attachment,
                case .present(let daemon) = state.daemon
            {
                Self.send(.measure(path), of: id, to: daemon, over: attachment, epoch: state.epoch)
            } else {
                result.fulfil(nil)
            }
        }
        return (try? await result.value()) ?? nil
    }

    /// Attaches a connection; nothing is sent before ``daemonAppeared(_:)``.
    ///
    /// - Returns: the daemon's answers, for ``receive(_:)``.
    func attach(_ connection: Connection) -> AsyncStream<Answer> {
        let (answers, continuation) = AsyncStream<Answer>.makeStream()
        state.withLock { state in
            Self.forgetAll(&state)
            state.daemon = .unknown
            state.attachment = Attachment(connection: connection, answers: continuation)
        }
        return answers
    }

    /// Detaches the connection.
    func detach() {
        let attachment = state.withLock { state in
            Self.forgetAll(&state)
            return state.attachment.take()
        }
        attachment?.answers.finish()
    }

    /// Records that the daemon has exited; the next change asks the bus to start it, unless it has come back.
    func daemonDisappeared() {
        state.withLock { state in
            Self.forgetAll(&state)
            state.daemon = .absent(isAsked: false)
        }
    }

    /// Publishes all activities to a new daemon; with nil, starts a daemon if there is something to publish.
    func daemonAppeared(_ daemon: BusName?) {
        state.withLock { state in
            Self.forgetAll(&state)
            state.daemon = daemon.map { .present($0) } ?? .absent(isAsked: false)
            let inTurn = state.entries.sorted {
                ($0.value.publication.turn ?? 0, $0.key) < ($1.value.publication.turn ?? 0, $1.key)
            }
            for (id, _) in inTurn { Self.send(id, &state) }
        }
    }
}

extension Publisher {
    private func update(_ id: ID, _ change: (inout Entry) -> Void) {
        update(id) { entry, _ in change(&entry) }
    }

    /// Changes an entry and sends the calls that follow; `change` gets the turn of an activity that becomes current
    /// now.
    private func update(_ id: ID, _ change: (inout Entry, UInt64) -> Void) {
        state.withLock { state in
            guard var entry = state.entries[id], !entry.publication.isOver else { return }
            state.lastTurn += 1
            let before = entry.publication.draft
            change(&entry, state.lastTurn)
            entry.changes.note(entry.publication.draft.changedProperties(since: before))
            if entry.publication.isOver { entry.changes.end() }
            state.entries[id] = entry
            Self.send(id, &state)
        }
    }

    /// Whether a call failed because the daemon has exited: its successor may accept the same call.
    static func isAbsence(_ error: DBusError) -> Bool {
        error.code == .disconnected || error.indicatesAbsentService || error.name == .noReply
    }

    /// Sends the daemon the unsent changes of an activity.
    static func send(_ id: ID, _ state: inout State) {
        guard var entry = state.entries[id] else { return }
        if let attachment = state.attachment, case .absent(isAsked: false) = state.daemon {
            var wanted = entry.publication
            if !wanted.steps().isEmpty {
                state.daemon = .absent(isAsked: true)
                send(.start, of: id, to: HandoffName.bus, over: attachment, epoch: state.epoch)
            }
        }
        if let attachment = state.attachment, case .present(let daemon) = state.daemon {
            let (before, path) = (entry.publication.sentTurn, entry.publication.path)
            for step in entry.publication.steps() {
                send(step, of: id, to: daemon, over: attachment, epoch: state.epoch)
            }
            state.entries[id] = entry
            if let path, entry.publication.path == nil { state.paths[path] = nil }
            // An activity that was created late is now ahead of those that became current after it.
            if let turn = entry.publication.sentTurn, turn != before {
                repeatTurns(after: turn, daemon, attachment, state)
            }
        }
        if entry.publication.isGone { state.entries[id] = nil }
    }

    private static func repeatTurns(after turn: UInt64, _ daemon: BusName, _ attachment: Attachment, _ state: State) {
        let later = state.entries.compactMap { id, entry -> (turn: UInt64, id: ID, path: ObjectPath)? in
            guard let sent = entry.publication.sentTurn, sent > turn, let path = entry.publication.path else {
                return nil
            }
            return (sent, id, path)
        }
        for (_, id, path) in later.sorted(by: { $0.turn < $1.turn }) {
            send(.becomeCurrent(path), of: id, to: daemon, over: attachment, epoch: state.epoch)
        }
    }

    private static func send(
        _ step: Publication.Step,
        of id: ID,
        to daemon: BusName,
        over attachment: Attachment,
        epoch: UInt64
    ) {
        attachment.connection.post(step.call(to: daemon)) { result in
            // Not processed here: this may run under the lock.
            attachment.answers.yield(Answer(id: id, step: step, result: result, epoch: epoch))
        }
    }

    private static func forgetAll(_ state: inout State) {
        state.epoch += 1
        state.paths = [:]
        for id in state.entries.keys {
            state.entries[id]?.publication.forget()
            state.entries[id]?.save.take()?.result.fulfil(nil)
            if var entry = state.entries[id] {
                _ = Self.change(&entry) { $0.forget() }
                state.entries[id] = entry
            }
            if state.entries[id]?.publication.isGone == true { state.entries[id] = nil }
        }
    }
}
