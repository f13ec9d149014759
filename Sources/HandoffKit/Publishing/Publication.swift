import DBus
import HandoffBus
import HandoffModel

/// The wanted state of one activity and the state that was sent to the daemon; the calls to make follow from the
/// difference.
///
/// A restarted daemon has no state: forgetting what was sent is enough to send everything again.
struct Publication: Sendable {
    /// A call to the daemon.
    enum Step: Hashable, Sendable {
        /// There is no daemon: ask the bus to start one first.
        case start
        case create(ActivityType, ActivityDraft)
        /// Read all properties of an activity that was created just now.
        case describe(ObjectPath)
        case set(ObjectPath, ActivityDraft.Key, Value)
        /// Read the size of the activity after a save.
        case measure(ObjectPath)
        case becomeCurrent(ObjectPath)
        case resignCurrent(ObjectPath)
        case invalidate(ObjectPath)
    }

    /// The state that the app wants, or that was sent to the daemon.
    private struct State: Hashable {
        var draft: ActivityDraft
        /// The rank of the call that made it current, among all activities of the program; nil when it is not current.
        var turn: UInt64?
    }

    private enum Daemon {
        case unaware
        case requested(ActivityDraft)
        /// It refused the activity with this content; a new attempt makes sense once that has changed.
        case refused(ActivityDraft)
        /// `isDescribed`: whether its properties have been requested.
        case created(ObjectPath, State, isDescribed: Bool)
    }

    let type: ActivityType
    private var wanted: State
    private var daemon = Daemon.unaware
    private(set) var isOver = false
    /// Whether it is sent to the daemon even if it never was current.
    var isKept = false
    /// While the app saves, changes are not sent.
    private var isSaving = false

    init(type: ActivityType, draft: ActivityDraft) {
        self.type = type
        wanted = State(draft: draft)
    }

    /// The state that the app wants.
    var draft: ActivityDraft {
        get { wanted.draft }
        set { wanted.draft = newValue }
    }

    /// The rank of the call that made it current; nil when it is not current.
    var turn: UInt64? {
        get { wanted.turn }
        set { wanted.turn = newValue }
    }

    /// The path of the daemon's object, if there is one.
    var path: ObjectPath? { if case .created(let path, _, _) = daemon { path } else { nil } }

    /// The turn that was sent to the daemon.
    var sentTurn: UInt64? { if case .created(_, let sent, _) = daemon { sent.turn } else { nil } }

    /// Whether the activity has ended and the daemon has no object for it.
    var isGone: Bool {
        switch daemon {
        case .unaware, .refused: isOver
        case .requested, .created: false
        }
    }

    /// Returns the calls to make now, and records them as made.
    mutating func steps() -> [Step] {
        switch daemon {
        case .unaware: create()
        case .refused(let draft): draft == wanted.draft ? [] : create()
        case .requested: []
        case .created(let path, _, isDescribed: _) where isOver: end(path)
        case .created(let path, let sent, isDescribed: false): describe(path, sent)
        case .created(let path, let sent, isDescribed: true): isSaving ? [] : changes(at: path, since: sent)
        }
    }

    private mutating func create() -> [Step] {
        guard !isOver, !isSaving, wanted.turn != nil || isKept else { return [] }
        daemon = .requested(wanted.draft)
        return [.create(type, wanted.draft)]
    }

    private mutating func end(_ path: ObjectPath) -> [Step] {
        daemon = .unaware
        return [.invalidate(path)]
    }

    private mutating func describe(_ path: ObjectPath, _ sent: State) -> [Step] {
        daemon = .created(path, sent, isDescribed: true)
        return [.describe(path)] + (isSaving ? [] : changes(at: path, since: sent))
    }

    private mutating func changes(at path: ObjectPath, since sent: State) -> [Step] {
        daemon = .created(path, wanted, isDescribed: true)
        let changes = wanted.draft.changes(since: sent.draft)
        var steps = ActivityDraft.Key.allCases.compactMap { key in
            changes[key.rawValue].map { Step.set(path, key, $0) }
        }
        if wanted.turn != sent.turn { steps.append(wanted.turn == nil ? .resignCurrent(path) : .becomeCurrent(path)) }
        return steps
    }

    /// Records that the app has ended the activity.
    mutating func invalidate() {
        isOver = true
    }

    /// Records that the daemon has created it.
    mutating func created(at path: ObjectPath) {
        guard case .requested(let draft) = daemon else { return }
        daemon = .created(path, State(draft: draft), isDescribed: false)
    }

    /// Records that the daemon has not created it.
    ///
    /// - Parameter isFinal: whether the activity itself was refused, so that a retry without a change would fail again.
    mutating func notCreated(isFinal: Bool) {
        guard case .requested(let draft) = daemon else { return }
        daemon = isFinal ? .refused(draft) : .unaware
    }

    /// Records that the daemon has exited or was replaced.
    mutating func forget() {
        daemon = .unaware
    }

    /// Starts a save that the daemon has requested: no changes are sent until ``endSaving()``.
    mutating func beginSaving() {
        isSaving = true
        wanted.draft.needsSave = false
        guard case .created(let path, var sent, let isDescribed) = daemon else { return }
        // The daemon resets it itself when it requests a save.
        sent.draft.needsSave = false
        daemon = .created(path, sent, isDescribed: isDescribed)
    }

    /// Ends a save; changes are sent again.
    mutating func endSaving() {
        isSaving = false
    }
}
