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
        case knowsNothing
        case isAsked(ActivityDraft)
        /// It does not want the activity as it was then; asking again makes sense once it has changed.
        case refused(ActivityDraft)
        case knows(ObjectPath, State)
    }

    let type: ActivityType
    private var wanted: State
    private var daemon = Daemon.knowsNothing
    private(set) var isOver = false
    /// While it is being saved, it is told as it was before.
    private var isHeld = false

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
    var path: ObjectPath? { if case .knows(let path, _) = daemon { path } else { nil } }

    /// The turn in which the daemon was told that it is current.
    var toldTurn: UInt64? { if case .knows(_, let told) = daemon { told.turn } else { nil } }

    /// Whether it has ended for everybody.
    var isGone: Bool {
        switch daemon {
        case .knowsNothing, .refused: isOver
        case .isAsked, .knows: false
        }
    }

    /// What has to be said now; it counts as said.
    mutating func steps() -> [Step] {
        switch daemon {
        case .knowsNothing: create()
        case .refused(let draft): draft == wanted.draft ? [] : create()
        case .isAsked: []
        case .knows(let path, let told): isOver ? end(path) : isHeld ? [] : changes(at: path, since: told)
        }
    }

    private mutating func create() -> [Step] {
        guard !isOver, !isHeld, wanted.turn != nil else { return [] }
        daemon = .isAsked(wanted.draft)
        return [.create(type, wanted.draft)]
    }

    private mutating func end(_ path: ObjectPath) -> [Step] {
        daemon = .knowsNothing
        return [.invalidate(path)]
    }

    private mutating func changes(at path: ObjectPath, since told: State) -> [Step] {
        daemon = .knows(path, wanted)
        let changes = wanted.draft.changes(since: told.draft)
        var steps = ActivityDraft.Key.allCases.compactMap { key in
            changes[key.rawValue].map { Step.set(path, key, $0) }
        }
        if wanted.turn != told.turn { steps.append(wanted.turn == nil ? .resignCurrent(path) : .becomeCurrent(path)) }
        return steps
    }

    /// The activity has ended for its app.
    mutating func invalidate() {
        isOver = true
    }

    /// The daemon has created it.
    mutating func created(at path: ObjectPath) {
        guard case .isAsked(let draft) = daemon else { return }
        daemon = .knows(path, State(draft: draft))
    }

    /// The daemon has not created it.
    ///
    /// - Parameter isFinal: whether the activity is at fault, so that the same again would be refused again.
    mutating func notCreated(isFinal: Bool) {
        guard case .isAsked(let draft) = daemon else { return }
        daemon = isFinal ? .refused(draft) : .knowsNothing
    }

    /// The daemon is gone, or another one.
    mutating func forget() {
        daemon = .knowsNothing
    }

    /// The daemon asks for the newest state: until ``endSaving()`` nothing changes for it.
    mutating func beginSaving() {
        isHeld = true
        wanted.draft.needsSave = false
        guard case .knows(let path, var told) = daemon else { return }
        // It says so itself with its question.
        told.draft.needsSave = false
        daemon = .knows(path, told)
    }

    /// The newest state is there.
    mutating func endSaving() {
        isHeld = false
    }
}
