import AsyncSupport
import FoundationEssentials
import HandoffBus
import HandoffModel
import Synchronization

/// A document that the user has open, with an activity for as long as other devices can open it too.
///
/// ```swift
/// let document = HandoffDocument(fileURL: try DocumentURL(path: path), in: handoff)
/// document.delegate = self
/// document.becomeCurrent()
/// ```
///
/// ``userActivity`` comes into being when the document is in a synchronised folder, and is nil again when the document
/// has left it; ``userActivities`` follows that. The activity type is the one that the app's desktop file binds to
/// documents of the kind (`X-Handoff-DocumentTypes`), so that the app need not know it. The document's URL is in
/// ``UserActivity/userInfo`` under ``NSUserActivityDocumentURLKey`` without the app's doing, and stays there whatever
/// the app or its responders put into userInfo.
///
/// All methods and properties may be used from any thread, actor or task; they do not block or wait. The document is
/// closed when it is deallocated; its activity ends, unless it still has responders.
public final class HandoffDocument: Sendable {
    typealias ID = SerialID<HandoffDocument>

    private struct State {
        var fileURL: DocumentURL?
        weak var delegate: (any UserActivityDelegate)?
        /// The document's activity, which other devices may or may not be able to open.
        var own: Own?
        var isCurrent = false
        /// Why there is no activity.
        var problem: String?
        /// Incremented with every search for the activity type, so that the answer to an earlier one is recognised.
        var search: UInt64 = 0
        var isClosed = false
    }

    private struct Own {
        let activity: UserActivity
        let member: UserActivity.MemberID
    }

    private let state: Mutex<State>
    private let handoff: Handoff
    private let activityType: String?
    private let id = Mutex<ID?>(nil)
    private let visible = CurrentValue<UserActivity?>(nil)

    /// Opens a document.
    ///
    /// - Parameters:
    ///   - fileURL: its file; nil while it has none.
    ///   - activityType: the type of its activity; nil for the one that a desktop file binds to documents of its kind.
    ///   - handoff: the argument of the closure of ``Handoff/run(application:delegate:bus:_:)``.
    /// - Throws: `CocoaError` with ``HandoffReason/invalidActivityType`` if the type is not a reverse-DNS name.
    public init(fileURL: DocumentURL? = nil, activityType: String? = nil, in handoff: Handoff) throws {
        do { _ = try activityType.map { type throws(ModelError) in try ActivityType(type) } } catch {
            throw CocoaError(error)
        }
        self.handoff = handoff
        self.activityType = activityType
        state = Mutex(State(fileURL: fileURL))
        id.withLock { $0 = handoff.insert(self) }
        refresh()
    }

    /// Opens the document of an activity that this app continues; the activity becomes the document's.
    ///
    /// - Returns: nil if the activity is about no document.
    public init?(continuing userActivity: UserActivity) {
        guard let url = userActivity.documentURL else { return nil }
        handoff = userActivity.handoff
        activityType = userActivity.activityType
        state = Mutex(State(fileURL: url, delegate: userActivity.delegate))
        id.withLock { $0 = handoff.insert(self) }
        adopt(userActivity)
    }

    deinit {
        if let id = id.withLock(\.self) { handoff.removeDocument(id) }
        close()
    }

    /// The document's file; nil while it has none.
    ///
    /// Set it when the app moves or renames the document.
    public var fileURL: DocumentURL? {
        get { state.withLock(\.fileURL) }
        set {
            state.withLock { $0.fileURL = newValue }
            refresh()
        }
    }

    /// The delegate of each activity of the document; not retained.
    public var delegate: (any UserActivityDelegate)? {
        get { state.withLock { $0.delegate } }
        set {
            let activity = state.withLock { state in
                state.delegate = newValue
                return state.own?.activity
            }
            activity?.delegate = newValue
        }
    }

    /// The document's activity; nil while other devices could not open the document, or nothing is known about it.
    public var userActivity: UserActivity? { visible.value }

    /// ``userActivity`` as it is now, and whenever it changes, until the document is closed.
    public var userActivities: AsyncStream<UserActivity?> { visible.values() }

    /// Why other devices could not open the document now, as a sentence for the user; nil if they could, if there is no
    /// file, and before the daemon has said so.
    public var problem: String? {
        let (own, problem) = state.withLock { ($0.own, $0.problem) }
        return own?.activity.documentProblem ?? problem
    }

    /// Makes the document's activity the current one, now or as soon as there is one; call this whenever the user turns
    /// to the document.
    public func becomeCurrent() {
        let activity = state.withLock { state in
            state.isCurrent = true
            return state.own?.activity
        }
        if let activity, !activity.isOver { activity.becomeCurrent() } else { refresh() }
    }

    /// Ends being current; call this when the user turns to something else in the app that has no activity.
    public func resignCurrent() {
        let activity = state.withLock { state in
            state.isCurrent = false
            return state.own?.activity
        }
        activity?.resignCurrent()
    }

    /// Closes the document; its activity ends, unless it still has responders.
    public func close() {
        let own = state.withLock { state in
            state.isClosed = true
            state.search += 1
            return state.own.take()
        }
        release(own)
        visible.set(nil)
        visible.finish()
    }
}

extension HandoffDocument {
    /// Makes the document's activity that of its file: creates, changes or ends it.
    func refresh() {
        let (url, own, search) = state.withLock { state in
            state.search += 1
            return (state.isClosed ? nil : state.fileURL, state.own, state.search)
        }
        guard let url else { return replaceActivity(with: nil, problem: nil, search) }
        if let activityType { return publish(url, activityType, search) }
        // A file that was renamed mostly keeps its type.
        if let own { own.activity.documentURL = url }
        handoff.perform { [weak self] in await self?.findType(of: url, search) }
    }

    /// Puts the document's URL into its activity, in case the app has removed it.
    func addURL(to activity: UserActivity) {
        let url = fileURL
        if activity.documentURL != url { activity.documentURL = url }
    }

    private func findType(of url: DocumentURL, _ search: UInt64) async {
        // A document is looked at again when there is a daemon.
        guard let connection = handoff.publisher.connection else { return }
        do {
            let (mediaType, types) = try await HandoffClient(connection: connection).types(ofDocument: url.description)
            guard let type = types.first else {
                let kind = mediaType.isEmpty ? "of this kind" : "of type \(mediaType)"
                let problem = "No app here declares an activity type for documents \(kind) (X-Handoff-DocumentTypes)."
                return replaceActivity(with: nil, problem: problem, search)
            }
            publish(url, type, search)
        } catch {
            let error = CocoaError(any: error)
            guard error.handoffReason != .noDaemon else { return }
            replaceActivity(with: nil, problem: error.handoffMessage, search)
        }
    }

    private func publish(_ url: DocumentURL, _ type: String, _ search: UInt64) {
        let own = state.withLock { $0.search == search ? $0.own : nil }
        if let own, own.activity.activityType == type, !own.activity.isOver {
            own.activity.documentURL = url
            own.activity.title = url.fileName
            return update()
        }
        do {
            let activity = try UserActivity(activityType: type, in: handoff)
            activity.title = url.fileName
            activity.documentURL = url
            replaceActivity(with: activity, problem: nil, search)
        } catch {
            replaceActivity(with: nil, problem: CocoaError(any: error).handoffMessage, search)
        }
    }

    /// Replaces the activity, unless another search has begun meanwhile.
    private func replaceActivity(with activity: UserActivity?, problem: String?, _ search: UInt64) {
        let own = activity.flatMap { activity in
            activity.join(self).map { Own(activity: activity, member: $0) }
        }
        let (old, isCurrent, delegate) = state.withLock { state -> (Own?, Bool, (any UserActivityDelegate)?) in
            guard state.search == search, !state.isClosed else { return (own, false, nil) }
            defer { (state.own, state.problem) = (own, problem) }
            return (state.own, state.isCurrent, state.delegate)
        }
        release(old)
        if let activity, old?.activity !== activity { begin(activity, isCurrent: isCurrent, delegate) }
        update()
    }

    private func adopt(_ activity: UserActivity) {
        guard let member = activity.join(self) else { return }
        state.withLock { $0.own = Own(activity: activity, member: member) }
        begin(activity, isCurrent: false, activity.delegate)
        update()
    }

    /// Publishes the activity, whether or not it is current, so that the daemon follows its file.
    private func begin(_ activity: UserActivity, isCurrent: Bool, _ delegate: (any UserActivityDelegate)?) {
        if let delegate { activity.delegate = delegate }
        handoff.publisher.keepPublished(activity.id)
        if isCurrent { activity.becomeCurrent() }
        let changes = activity.changes
        handoff.perform { [weak self] in
            for await _ in changes { self?.update() }
            self?.update()
        }
    }

    private func release(_ own: Own?) {
        guard let own else { return }
        own.activity.leave(own.member)
        // Its responders may keep the activity, which is then about no document.
        own.activity.documentURL = nil
    }

    /// Shows the activity to the app while other devices can open the document.
    private func update() {
        let activity = state.withLock { $0.own?.activity }
        let published = activity.map { handoff.publisher.published($0.id) }
        let isOffered = activity?.isOver == false && published?.isDescribed == true && published?.documentProblem == nil
        let shown = isOffered ? activity : nil
        visible.set(shown) { $0 !== shown }
    }
}
