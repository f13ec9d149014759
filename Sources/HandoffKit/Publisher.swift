import DBus
import FoundationEssentials
import HandoffBus
import HandoffModel
import Synchronization

/// All activities of a program, and the connection over which the daemon is told of them.
///
/// Whatever changes, changes here under one lock, and what has to be said leaves in the order of that lock. Answers come in
/// through ``receive(_:)``.
final class Publisher: Sendable {
    typealias ID = UInt64

    /// The object of ours that the daemon calls.
    static let delegatePath: ObjectPath = "/org/handoffd/HandoffKit"

    /// What the daemon answered to a step.
    struct Answer: Sendable {
        let id: ID
        let step: Publication.Step
        let result: Result<[Value], DBusError>
        /// Of which daemon.
        fileprivate let epoch: UInt64
    }

    private struct Entry {
        var publication: Publication
        weak var activity: UserActivity?
        /// What is current stays, even if its app keeps no reference to it.
        var current: UserActivity?
    }

    private struct Attachment {
        let connection: Connection
        let answers: AsyncStream<Answer>.Continuation
    }

    /// Who is to be told.
    private enum Daemon {
        /// It is not known yet whether there is one.
        case unknown
        /// There is none; whether the bus has been asked to start one.
        case absent(isAsked: Bool)
        /// By its own name on the bus, so that nothing meant for it reaches one that comes after it and is told everything
        /// anyhow.
        case present(BusName)
    }

    private struct State {
        var daemon = Daemon.unknown
        var entries: [ID: Entry] = [:]
        var paths: [ObjectPath: ID] = [:]
        var lastID: ID = 0
        var lastTurn: UInt64 = 0
        /// Changes with every daemon, so that answers of one that is gone are known.
        var epoch: UInt64 = 0
        var attachment: Attachment?
    }

    private let state = Mutex(State())

    /// The connection there is.
    var connection: Connection? { state.withLock { $0.attachment?.connection } }

    /// Makes an activity known; the daemon is told once it is current.
    func insert(_ type: ActivityType, _ draft: ActivityDraft) -> ID {
        state.withLock { state in
            state.lastID += 1
            state.entries[state.lastID] = Entry(publication: Publication(type: type, draft: draft))
            return state.lastID
        }
    }

    /// Says which object stands for an activity.
    func bind(_ id: ID, to activity: UserActivity) {
        state.withLock { $0.entries[id]?.activity = activity }
    }

    /// What an activity is; nil when it has ended.
    func draft(of id: ID) -> ActivityDraft? {
        state.withLock { $0.entries[id]?.publication.draft }
    }

    /// Changes an activity; nothing happens when it has ended.
    func change(_ id: ID, _ change: (inout ActivityDraft) -> Void) {
        update(id) { change(&$0.publication.draft) }
    }

    /// Makes an activity the newest of those that are current.
    func becomeCurrent(_ id: ID) {
        update(id) { entry, turn in
            entry.publication.turn = turn
            entry.current = entry.activity
        }
    }

    /// Takes an activity out of those that are current.
    func resignCurrent(_ id: ID) {
        // The reference goes after the lock, whose deinitialiser takes it again.
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

    /// The activity behind an object of the daemon.
    func activity(at path: ObjectPath) -> UserActivity? {
        state.withLock { state in state.paths[path].flatMap { state.entries[$0]?.activity } }
    }

    /// Whether an activity has ended.
    func isOver(_ id: ID) -> Bool {
        state.withLock { $0.entries[id]?.publication.isOver ?? true }
    }

    /// Lets an activity change without telling.
    func beginSaving(_ id: ID) {
        update(id) { $0.publication.beginSaving() }
    }

    /// Tells what has changed since ``beginSaving(_:)``: all of it has been handed over when this returns.
    func endSaving(_ id: ID) {
        update(id) { $0.publication.endSaving() }
    }

    /// Takes up a connection; nothing is said before ``daemonAppeared(_:)``.
    ///
    /// - Returns: what the daemon answers over it, for ``receive(_:)``.
    func attach(_ connection: Connection) -> AsyncStream<Answer> {
        let (answers, continuation) = AsyncStream<Answer>.makeStream()
        state.withLock { state in
            Self.forgetAll(&state)
            state.daemon = .unknown
            state.attachment = Attachment(connection: connection, answers: continuation)
        }
        return answers
    }

    /// Gives up the connection.
    func detach() {
        let attachment = state.withLock { state in
            Self.forgetAll(&state)
            return state.attachment.take()
        }
        attachment?.answers.finish()
    }

    /// The daemon is gone: it comes back, or is asked for by the next change.
    func daemonDisappeared() {
        state.withLock { state in
            Self.forgetAll(&state)
            state.daemon = .absent(isAsked: false)
        }
    }

    /// A daemon is there that knows nothing, and is told everything; nil for none, of which one is started if need be.
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

    /// Takes in what the daemon answered.
    ///
    /// - Returns: the activity and what is wrong with it, where the daemon says so.
    func receive(_ answer: Answer) -> (activity: UserActivity?, error: DBusError)? {
        state.withLock { state in
            guard answer.epoch == state.epoch else { return nil }
            if answer.step == .start, case .failure(let error) = answer.result {
                // What there is to say is said when the daemon has come, or asks again with the next change; also when
                // the activity is gone by which it was asked.
                state.daemon = .absent(isAsked: false)
                return state.entries[answer.id].map { ($0.activity, error) }
            }
            guard answer.step != .start, var entry = state.entries[answer.id] else { return nil }
            defer { Self.send(answer.id, &state) }
            switch (answer.step, answer.result) {
            case (.create, .success(let values)):
                guard let path = try? values.decode(at: 0, as: ObjectPath.self) else { return nil }
                entry.publication.created(at: path)
                state.paths[path] = answer.id
                state.entries[answer.id] = entry
                return nil
            case (.create, .failure(let error)):
                entry.publication.notCreated(isFinal: !Self.isAbsence(error))
                state.entries[answer.id] = entry
                return (entry.activity, error)
            case (_, .failure(let error)): return (entry.activity, error)
            case (_, .success): return nil
            }
        }
    }
}

extension Publisher {
    private func update(_ id: ID, _ change: (inout Entry) -> Void) {
        update(id) { entry, _ in change(&entry) }
    }

    /// Changes an entry, given the turn that an activity has which becomes current now, and says what follows.
    private func update(_ id: ID, _ change: (inout Entry, UInt64) -> Void) {
        state.withLock { state in
            guard var entry = state.entries[id], !entry.publication.isOver else { return }
            state.lastTurn += 1
            change(&entry, state.lastTurn)
            state.entries[id] = entry
            Self.send(id, &state)
        }
    }

    /// Whether a call failed because the daemon is not there any more: its successor may be told the same.
    private static func isAbsence(_ error: DBusError) -> Bool {
        error.code == .disconnected || error.indicatesAbsentService || error.name == .noReply
    }

    /// Tells the daemon what it does not know of an activity.
    private static func send(_ id: ID, _ state: inout State) {
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
            // One that was created late has gone on top of those that became current after it.
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
            // Not taken in here: this may run under the lock.
            attachment.answers.yield(Answer(id: id, step: step, result: result, epoch: epoch))
        }
    }

    private static func forgetAll(_ state: inout State) {
        state.epoch += 1
        state.paths = [:]
        for id in state.entries.keys {
            state.entries[id]?.publication.forget()
            if state.entries[id]?.publication.isGone == true { state.entries[id] = nil }
        }
    }
}

extension Publication.Step {
    /// The call that says it.
    fileprivate func call(to daemon: BusName) -> MethodCall {
        switch self {
        case .start:
            // D-Bus specification, "Message Bus Messages": the name, and flags that mean nothing yet.
            MethodCall(
                destination: "org.freedesktop.DBus",
                path: "/org/freedesktop/DBus",
                interface: "org.freedesktop.DBus",
                member: "StartServiceByName",
                arguments: [.string(daemon.description), .uint32(0)]
            )
        case .create(let type, let draft):
            MethodCall(
                destination: daemon,
                path: HandoffName.root,
                interface: HandoffName.managerInterface,
                member: "CreateActivity",
                arguments: [.string(type.rawValue), draft.value],
                startsService: false
            )
        case .set(let path, let key, let value):
            MethodCall(
                destination: daemon,
                path: path,
                interface: "org.freedesktop.DBus.Properties",
                member: "Set",
                arguments: [
                    .string(HandoffName.activityInterface.description), .string(key.rawValue), .variant(value),
                ],
                startsService: false
            )
        case .becomeCurrent(let path): Self.call("BecomeCurrent", path, daemon)
        case .resignCurrent(let path): Self.call("ResignCurrent", path, daemon)
        case .invalidate(let path): Self.call("Invalidate", path, daemon)
        }
    }

    private static func call(_ member: MemberName, _ path: ObjectPath, _ daemon: BusName) -> MethodCall {
        MethodCall(
            destination: daemon,
            path: path,
            interface: HandoffName.activityInterface,
            member: member,
            startsService: false
        )
    }
}
