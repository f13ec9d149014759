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
/// reference to it is released.
public final class UserActivity: Sendable {
    /// The type of web browsing: any browser may continue activities of this type.
    public static let browsingWebType = ActivityType.browsingWeb.rawValue

    /// The activity type, which never changes.
    public let activityType: String

    /// The name of the origin device; nil for an activity that began on this device.
    public let originDeviceName: String?

    let id: Publisher.ID
    let handoff: Handoff
    /// The token with which streams are requested; nil if the app on the origin device accepts none.
    let continuation: String?
    private let state = Mutex(State())

    private struct State {
        weak var delegate: (any UserActivityDelegate)?
        var responders: [WeakResponder] = []
        var publishingError: CocoaError?
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
    public var delegate: (any UserActivityDelegate)? {
        get { state.withLock { $0.delegate } }
        set { state.withLock { $0.delegate = newValue } }
    }

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

    func note(_ error: CocoaError) {
        state.withLock { $0.publishingError = error }
    }
}

// MARK: - Properties

extension UserActivity {
    /// A short title to show to the user, at most 1024 bytes of UTF-8.
    public var title: String? {
        get { self[\.title] }
        set { self[\.title] = newValue }
    }

    /// The state to continue from; 3 KiB or less is recommended, more than 64 KiB is refused.
    ///
    /// Setting it replaces all entries.
    public var userInfo: [String: UserInfoValue] {
        get { self[\.userInfo].mapValues(UserInfoValue.init(model:)) }
        set { self[\.userInfo] = newValue.mapValues(\.model) }
    }

    /// Adds entries to ``userInfo``; replaces those with the same key.
    public func addUserInfoEntries(from other: [String: UserInfoValue]) {
        handoff.publisher.change(id) { $0.properties.userInfo.merge(other.mapValues(\.model)) { _, new in new } }
    }

    /// The keys of ``userInfo`` that are sent; the others are not.
    ///
    /// If empty, all keys are sent.
    public var requiredUserInfoKeys: Set<String> {
        get { self[\.requiredUserInfoKeys] }
        set { self[\.requiredUserInfoKeys] = newValue }
    }

    /// The web page on which a browser continues the activity when no app does.
    public var webpageURL: WebpageURL? {
        get { self[\.webpageURL].map(WebpageURL.init(model:)) }
        set { self[\.webpageURL] = newValue?.model }
    }

    /// The time at which the activity expires; nil for never.
    public var expirationDate: Date? {
        get { self[\.expiration].map(Date.init) }
        set { self[\.expiration] = newValue.map(Timestamp.init(nearest:)) }
    }

    /// The content to which the activity belongs, by which an app can choose one of several windows.
    public var targetContentIdentifier: String? {
        get { self[\.targetContentIdentifier] }
        set { self[\.targetContentIdentifier] = newValue }
    }

    /// An identifier by which the app finds the activity again.
    public var persistentIdentifier: String? {
        get { self[\.persistentIdentifier] }
        set { self[\.persistentIdentifier] = newValue }
    }

    /// The team whose apps may continue the activity, if apps of several vendors use its type; nil for apps without a
    /// team.
    public var teamID: String? {
        get { self[\.teamID] }
        set { self[\.teamID] = newValue }
    }

    /// Whether the delegate accepts streams from apps that continue the activity.
    public var supportsContinuationStreams: Bool {
        get { self[\.supportsContinuationStreams] }
        set { self[\.supportsContinuationStreams] = newValue }
    }

    /// Whether the activity may be offered to other devices.
    public var isEligibleForHandoff: Bool {
        get { handoff.publisher.draft(of: id)?.isEligible ?? false }
        set { handoff.publisher.change(id) { $0.isEligible = newValue } }
    }

    /// Whether the app has newer state than ``userInfo``; set it with every change, however often.
    ///
    /// Setting it is cheap. Before another device gets the activity, it is set to false and the responders and the
    /// delegate are asked once to update the activity.
    public var needsSave: Bool {
        get { handoff.publisher.draft(of: id)?.needsSave ?? false }
        set { handoff.publisher.change(id) { $0.needsSave = newValue } }
    }

    private subscript<Part>(part: WritableKeyPath<Activity.Properties, Part>) -> Part {
        get { (handoff.publisher.draft(of: id)?.properties ?? Activity.Properties())[keyPath: part] }
        set { handoff.publisher.change(id) { $0.properties[keyPath: part] = newValue } }
    }
}

// MARK: - Responders

extension UserActivity {
    /// Adds an object that contributes its state before the activity is sent to another device.
    ///
    /// The object is not retained. Adding it again has no effect.
    public func addResponder(_ responder: any UserActivityResponder) {
        state.withLock { state in
            state.responders.removeAll { $0.object == nil }
            guard !state.responders.contains(where: { $0.object === responder }) else { return }
            state.responders.append(WeakResponder(object: responder))
        }
    }

    /// Removes a responder; if it was the last one, the activity ends.
    public func removeResponder(_ responder: any UserActivityResponder) {
        let wasLast = state.withLock { state in
            let count = state.responders.count
            state.responders.removeAll { $0.object == nil || $0.object === responder }
            return count > 0 && state.responders.isEmpty
        }
        if wasLast { invalidate() }
    }

    /// The responders, in the order in which they were added.
    public var responders: [any UserActivityResponder] {
        state.withLock { $0.responders.compactMap(\.object) }
    }

    /// Asks the responders and the delegates to update the activity, which is about to be sent to another device.
    func save() async {
        handoff.publisher.beginSaving(id)
        defer { handoff.publisher.endSaving(id) }
        let responders = responders
        if !responders.isEmpty { userInfo = [:] }
        for responder in responders { await responder.updateUserActivityState(self) }
        await delegate?.userActivityWillSave(self)
        await handoff.delegate?.application(handoff, didUpdate: self)
    }
}

private struct WeakResponder {
    weak var object: (any UserActivityResponder)?
}
