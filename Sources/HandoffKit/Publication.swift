import DBus
import HandoffBus
import HandoffModel

/// What one activity shall be on the bus, and what the daemon knows of it: from the difference follows what to say.
///
/// A daemon that comes back knows nothing; forgetting what it was told is all that it takes to tell it everything again.
struct Publication: Sendable {
    /// Something to say to the daemon.
    enum Step: Hashable, Sendable {
        /// There is no daemon: one has to be started first.
        case start
        case create(ActivityType, ActivityDraft)
        case set(ObjectPath, ActivityDraft.Key, Value)
        case becomeCurrent(ObjectPath)
        case resignCurrent(ObjectPath)
        case invalidate(ObjectPath)
    }

    /// What the app wants, or what the daemon was told.
    private struct State: Hashable {
        var draft: ActivityDraft
        /// When it was made current, in an order of all activities of the program; nil when it is not.
        var turn: UInt64?
    }

    private enum Daemon {
        case unaware
        case requested(ActivityDraft)
        /// It does not want the activity as it was then; asking again makes sense once it has changed.
        case refused(ActivityDraft)
        case created(ObjectPath, State)
    }

    let type: ActivityType
    private var wanted: State
    private var daemon = Daemon.unaware
    private(set) var isOver = false
    /// While it is being saved, it is told as it was before.
    private var isSaving = false

    init(type: ActivityType, draft: ActivityDraft) {
        self.type = type
        wanted = State(draft: draft)
    }

    /// What the app has said.
    var draft: ActivityDraft {
        get { wanted.draft }
        set { wanted.draft = newValue }
    }

    /// When it was made current; nil when it is not.
    var turn: UInt64? {
        get { wanted.turn }
        set { wanted.turn = newValue }
    }

    /// The daemon's object, if there is one.
    var path: ObjectPath? { if case .created(let path, _) = daemon { path } else { nil } }

    /// The turn in which the daemon was told that it is current.
    var sentTurn: UInt64? { if case .created(_, let sent) = daemon { sent.turn } else { nil } }

    /// Whether it has ended for everybody.
    var isGone: Bool {
        switch daemon {
        case .unaware, .refused: isOver
        case .requested, .created: false
        }
    }

    /// What has to be said now; it counts as said.
    mutating func steps() -> [Step] {
        switch daemon {
        case .unaware: create()
        case .refused(let draft): draft == wanted.draft ? [] : create()
        case .requested: []
        case .created(let path, let sent): isOver ? end(path) : isSaving ? [] : changes(at: path, since: sent)
        }
    }

    private mutating func create() -> [Step] {
        guard !isOver, !isSaving, wanted.turn != nil else { return [] }
        daemon = .requested(wanted.draft)
        return [.create(type, wanted.draft)]
    }

    private mutating func end(_ path: ObjectPath) -> [Step] {
        daemon = .unaware
        return [.invalidate(path)]
    }

    private mutating func changes(at path: ObjectPath, since sent: State) -> [Step] {
        daemon = .created(path, wanted)
        let changes = wanted.draft.changes(since: sent.draft)
        var steps = ActivityDraft.Key.allCases.compactMap { key in
            changes[key.rawValue].map { Step.set(path, key, $0) }
        }
        if wanted.turn != sent.turn { steps.append(wanted.turn == nil ? .resignCurrent(path) : .becomeCurrent(path)) }
        return steps
    }

    /// The activity has ended for its app.
    mutating func invalidate() {
        isOver = true
    }

    /// The daemon has created it.
    mutating func created(at path: ObjectPath) {
        guard case .requested(let draft) = daemon else { return }
        daemon = .created(path, State(draft: draft))
    }

    /// The daemon has not created it.
    ///
    /// - Parameter isFinal: whether the activity is at fault, so that the same again would be refused again.
    mutating func notCreated(isFinal: Bool) {
        guard case .requested(let draft) = daemon else { return }
        daemon = isFinal ? .refused(draft) : .unaware
    }

    /// The daemon is gone, or another one.
    mutating func forget() {
        daemon = .unaware
    }

    /// The daemon asks for the newest state: until ``endSaving()`` nothing changes for it.
    mutating func beginSaving() {
        isSaving = true
        wanted.draft.needsSave = false
        guard case .created(let path, var sent) = daemon else { return }
        // It says so itself with its question.
        sent.draft.needsSave = false
        daemon = .created(path, sent)
    }

    /// The newest state is there.
    mutating func endSaving() {
        isSaving = false
    }
}
