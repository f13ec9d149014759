public import FoundationEssentials
import HandoffBus
import HandoffModel
import Synchronization

/// What the user is doing in an app, for another of their devices to continue.
///
/// The API follows Apple's `NSUserActivity`.
///
/// ```swift
/// let activity = try UserActivity(activityType: "org.example.editor.editing", in: handoff)
/// activity.title = "Draft"
/// activity.userInfo = ["line": 12]
/// activity.becomeCurrent()
/// ```
///
/// All methods and properties may be used from any thread, actor or task; they do not block, wait or throw. Changes are
/// sent to the daemon at once, in the order of the calls, and sent again after a restart of the daemon. If the daemon
/// refuses a change, ``UserActivityDelegate/userActivity(_:didFailToPublish:)`` and ``publishingError`` give the
/// reason.
///
/// A current activity is retained until ``resignCurrent()`` or ``invalidate()``. Any other one ends when the last
/// reference to it is released. An activity with responders or a document ends when the last of them has left it.
public final class UserActivity: Sendable {
    /// The activity type, which never changes.
    public let activityType: String

    /// The name of the origin device; nil for an activity that began on this device.
    public let originDeviceName: String?

    let id: Publisher.ID
    let handoff: Handoff
    /// The token with which streams are requested; nil if the app on the origin device accepts none.
    let continuation: String?
    private let state = Mutex(State())

    /// Identifies a responder or document among those that share the activity.
    typealias MemberID = SerialID<UserActivityReference>

    /// A responder or a document of the activity.
    private struct Member {
        let id: MemberID
        weak var responder: (any UserActivityResponder)?
        weak var document: HandoffDocument?
    }

    private struct State {
        weak var delegate: (any UserActivityDelegate)?
        var members: [Member] = []
        var lastMember: MemberID = 0
        var publishingError: CocoaError?
        /// The last error that was reported to the developer.
        var reported: String?
    }

    /// Creates an activity that is not current, and that other devices cannot see before it becomes current.
    ///
    /// - Parameters:
    ///   - activityType: a reverse-DNS name such as `org.example.editor.editing`, which is not shown to the user.
    ///   - handoff: the argument of the closure of ``Handoff/run(application:delegate:bus:_:)``.
    /// - Throws: `CocoaError` with ``HandoffReason/invalidActivityType`` if the type is not a reverse-DNS name.
    public init(activityType: String, in handoff: Handoff) throws {
        let type: ActivityType
        do { type = try ActivityType(activityType) } catch { throw CocoaError(error) }
        var draft = ActivityDraft()
        draft.delegate = Publisher.delegatePath
        draft.properties.teamID = handoff.teamID
        self.activityType = activityType
        self.handoff = handoff
        originDeviceName = nil
        continuation = nil
        id = handoff.publisher.insert(type, draft)
        handoff.publisher.bind(id, to: self)
    }

    /// Creates an activity from one that was fetched from another device.
    init(_ fetched: FetchedActivity, from device: String, in handoff: Handoff) {
        var draft = ActivityDraft(fetched.activity, delegate: Publisher.delegatePath)
        draft.properties.streamToken = nil
        activityType = fetched.activity.type.rawValue
        originDeviceName = device
        continuation = fetched.continuation
        self.handoff = handoff
        id = handoff.publisher.insert(fetched.activity.type, draft)
        handoff.publisher.bind(id, to: self)
    }

    deinit {
        handoff.publisher.invalidate(id)
    }

    /// The object that saves the newest state and is notified of continuations; not retained.
    ///
    /// Setting it makes the activity need a save.
    public var delegate: (any UserActivityDelegate)? {
        get { state.withLock { $0.delegate } }
        set {
            state.withLock { $0.delegate = newValue }
            if newValue != nil { needsSave = true }
        }
    }

    /// The changes of the activity's properties from now on, until it ends.
    ///
    /// ```swift
    /// for await properties in activity.changes where properties.contains(.documentProblem) {
    ///     show(activity.documentProblem)
    /// }
    /// ```
    ///
    /// Each access makes a sequence of its own.
    public var changes: UserActivityChanges { handoff.publisher.changes(of: id) }

    /// Whether the activity has ended.
    var isOver: Bool { handoff.publisher.isOver(id) }

    /// The last error with which the daemon refused the activity or a change of it; nil if there was none.
    public var publishingError: CocoaError? { state.withLock { $0.publishingError } }

    /// Makes this the current activity, which other devices may continue.
    ///
    /// At most one activity of all apps of a session is current; the previous one becomes current again when this one
    /// resigns or ends. Call this whenever the user turns to the activity.
    public func becomeCurrent() {
        handoff.publisher.becomeCurrent(id)
    }

    /// Ends being current, without ending the activity; ``becomeCurrent()`` makes it current again.
    public func resignCurrent() {
        handoff.publisher.resignCurrent(id)
    }

    /// Ends the activity permanently, on this device and in the lists of other devices.
    ///
    /// From then on its properties are empty and ignore changes.
    public func invalidate() {
        handoff.publisher.invalidate(id)
    }

    /// Records an error of the daemon; a new one is also reported to the developer if it is about the size.
    func note(_ error: CocoaError) {
        let isNew = state.withLock { state in
            defer { state.publishingError = error }
            return state.publishingError?.handoffMessage != error.handoffMessage
        }
        guard isNew else { return }
        handoff.publisher.noteChange(of: .publishingError, id)
        if error.handoffReason == .payloadTooLarge { report(error) }
    }

    /// Passes an error of the daemon to the delegate, or to the developer if there is no delegate.
    func reportRefusal(_ error: CocoaError) async {
        guard let delegate else { return report(error) }
        await delegate.userActivity(self, didFailToPublish: error)
    }

    /// Tells the developer of an error, once if it occurs again and again.
    func report(_ error: CocoaError) {
        let isNew = state.withLock { state in
            defer { state.reported = error.handoffMessage }
            return state.reported != error.handoffMessage
        }
        guard isNew else { return }
        handoff.diagnostics.write("handoffd refused an activity of type \(activityType): \(error.handoffMessage)")
    }

    /// Tells the developer that the activity has become large.
    func warn(ofSize size: Int) {
        guard let warning = SaveResult.sizeWarning(size) else { return }
        handoff.diagnostics.write("\(activityType): \(warning)")
    }
}

// MARK: - Responders

extension UserActivity {
    /// The responders, in the order in which they joined.
    public var responders: [any UserActivityResponder] { members.compactMap(\.responder) }

    /// Copied under the lock and loaded outside of it, where the last reference to a responder may be released.
    private var members: [Member] { state.withLock(\.members) }

    /// Adds a responder, which is asked for its state before the activity is sent for the first time.
    ///
    /// - Returns: nil if the activity has ended.
    func join(_ responder: any UserActivityResponder) -> MemberID? {
        let id = insertMember { Member(id: $0, responder: responder) }
        if id != nil { needsSave = true }
        return id
    }

    /// Adds a document.
    ///
    /// - Returns: nil if the activity has ended.
    func join(_ document: HandoffDocument) -> MemberID? {
        insertMember { Member(id: $0, document: document) }
    }

    /// Removes a responder or document; the last one ends the activity.
    func leave(_ member: MemberID) {
        let wasLast = state.withLock { state in
            let count = state.members.count
            state.members.removeAll { $0.id == member }
            return state.members.count < count && state.members.isEmpty
        }
        if wasLast { invalidate() }
    }

    /// Asks the responders and the delegates to update the activity, which is about to be sent to another device.
    ///
    /// - Throws: `CocoaError` if the daemon refused the new state.
    func save() async throws {
        handoff.publisher.beginSaving(id)
        let (members, delegate) = (members, delegate)
        let responders = members.compactMap(\.responder)
        if !responders.isEmpty { userInfo = [:] }
        for responder in responders { await responder.updateUserActivityState(self) }
        await delegate?.userActivityWillSave(self)
        // An app may have removed the document's URL together with its own state.
        for document in members.compactMap(\.document) { document.addURL(to: self) }
        await handoff.delegate?.application(handoff, didUpdate: self)
        guard let result = await handoff.publisher.endSaving(id) else { return }
        handoff.perform { await delegate?.userActivity(self, didSave: result) }
        if let error = result.error { throw error }
    }

    private func insertMember(_ member: (MemberID) -> Member) -> MemberID? {
        guard !isOver else { return nil }
        return state.withLock { state in
            state.lastMember = state.lastMember.next
            state.members.append(member(state.lastMember))
            return state.lastMember
        }
    }
}
