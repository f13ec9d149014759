public import FoundationEssentials
import HandoffBus
import HandoffModel
import Synchronization

/// What a person is doing in an app, for another of their devices to continue; named as Apple's `NSUserActivity`.
///
/// ```swift
/// let activity = try UserActivity(activityType: "org.example.editor.editing", in: handoff)
/// activity.title = "Draft"
/// activity.userInfo = ["line": 12]
/// activity.becomeCurrent()
/// ```
///
/// Everything may be called from any thread, actor or task; nothing blocks, waits or throws. What is set is told to the
/// daemon at once, in the order of the calls, and told again when the daemon was restarted. Where the daemon does not want
/// something, ``UserActivityDelegate/userActivity(_:didFailToPublish:)`` and ``publishingError`` say why.
///
/// An activity that is current stays until ``resignCurrent()`` or ``invalidate()``. One that is not ends with the last
/// reference to it.
public final class UserActivity: Sendable {
    /// What browsers do: activities of this type may be continued by any browser.
    public static let browsingWebType = ActivityType.browsingWeb.rawValue

    /// What is being done, fixed for life.
    public let activityType: String

    /// What the device is called on which the activity began; nil for one that began here.
    public let originDeviceName: String?

    let id: Publisher.ID
    let handoff: Handoff
    /// By what a stream is asked for.
    let continuation: String?
    private let state = Mutex(State())

    private struct State {
        weak var delegate: (any UserActivityDelegate)?
        var responders: [WeakResponder] = []
        var publishingError: CocoaError?
    }

    /// An activity that is not current yet, and that nobody else sees before it is.
    ///
    /// - Parameters:
    ///   - activityType: a reverse-DNS name such as `org.example.editor.editing`, which people never see.
    ///   - handoff: what ``Handoff/run(application:delegate:bus:_:)`` has given.
    /// - Throws: `CocoaError` with ``HandoffReason/invalidActivityType`` for a type that is no such name.
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

    /// An activity that came from another device.
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

    /// Whom to ask for the newest state, and to tell who goes on; not retained.
    public var delegate: (any UserActivityDelegate)? {
        get { state.withLock { $0.delegate } }
        set { state.withLock { $0.delegate = newValue } }
    }

    /// Why the daemon did not want what was set last, if it did not.
    public var publishingError: CocoaError? { state.withLock { $0.publishingError } }

    /// Makes this the activity that the person is doing, which other devices may continue.
    ///
    /// Exactly one activity of a session is current, of all its apps; the one before is current again when this one resigns
    /// or ends. To be called whenever the person turns to it.
    public func becomeCurrent() {
        handoff.publisher.becomeCurrent(id)
    }

    /// Says that the person does something else that is no activity; ``becomeCurrent()`` brings it back.
    public func resignCurrent() {
        handoff.publisher.resignCurrent(id)
    }

    /// Ends the activity, here and on the lists of other devices, for good.
    ///
    /// After that it has no parts, and takes none.
    public func invalidate() {
        handoff.publisher.invalidate(id)
    }

    func note(_ error: CocoaError) {
        state.withLock { $0.publishingError = error }
    }
}

// MARK: - What it consists of

extension UserActivity {
    /// A short text that may be shown to a person, at most 1024 bytes of UTF-8.
    public var title: String? {
        get { self[\.title] }
        set { self[\.title] = newValue }
    }

    /// The state to continue from: 3 KiB or less is advised, more than 64 KiB is refused.
    ///
    /// Setting it replaces all of it.
    public var userInfo: [String: UserInfoValue] {
        get { self[\.userInfo].mapValues(UserInfoValue.init(model:)) }
        set { self[\.userInfo] = newValue.mapValues(\.model) }
    }

    /// Adds entries to ``userInfo``; those of the same key are replaced.
    public func addUserInfoEntries(from other: [String: UserInfoValue]) {
        handoff.publisher.change(id) { $0.properties.userInfo.merge(other.mapValues(\.model)) { _, new in new } }
    }

    /// Which keys of ``userInfo`` are enough to continue: only these travel.
    ///
    /// Empty means all of them.
    public var requiredUserInfoKeys: Set<String> {
        get { self[\.requiredUserInfoKeys] }
        set { self[\.requiredUserInfoKeys] = newValue }
    }

    /// Where a browser goes on when no app does.
    public var webpageURL: WebpageURL? {
        get { self[\.webpageURL].map(WebpageURL.init(model:)) }
        set { self[\.webpageURL] = newValue?.model }
    }

    /// When it stops being worth continuing; nil for never.
    public var expirationDate: Date? {
        get { self[\.expiration].map(Date.init) }
        set { self[\.expiration] = newValue.map(Timestamp.init(nearest:)) }
    }

    /// Which content it belongs to, so that an app with several windows can pick one.
    public var targetContentIdentifier: String? {
        get { self[\.targetContentIdentifier] }
        set { self[\.targetContentIdentifier] = newValue }
    }

    /// The name under which its app finds it again.
    public var persistentIdentifier: String? {
        get { self[\.persistentIdentifier] }
        set { self[\.persistentIdentifier] = newValue }
    }

    /// Whose apps may continue it, where apps of several vendors have the same type; nil for apps without a team.
    public var teamID: String? {
        get { self[\.teamID] }
        set { self[\.teamID] = newValue }
    }

    /// Whether the delegate takes streams from the apps that continue it.
    public var supportsContinuationStreams: Bool {
        get { self[\.supportsContinuationStreams] }
        set { self[\.supportsContinuationStreams] = newValue }
    }

    /// Whether it may be offered to other devices at all.
    public var isEligibleForHandoff: Bool {
        get { handoff.publisher.draft(of: id)?.isEligible ?? false }
        set { handoff.publisher.change(id) { $0.isEligible = newValue } }
    }

    /// Whether there is newer state than ``userInfo``: to be set with every change, as often as it likes.
    ///
    /// It costs next to nothing. When another device is about to get the activity, the responders and the delegate are asked
    /// to bring it up to date, once, and it is false again.
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
    /// Lets an object take part in the activity: it adds its part before the activity goes to another device.
    ///
    /// It is not retained. Adding it again changes nothing.
    public func addResponder(_ responder: any UserActivityResponder) {
        state.withLock { state in
            state.responders.removeAll { $0.object == nil }
            guard !state.responders.contains(where: { $0.object === responder }) else { return }
            state.responders.append(WeakResponder(object: responder))
        }
    }

    /// Lets an object take part no more; when it was the last, the activity ends.
    public func removeResponder(_ responder: any UserActivityResponder) {
        let wasLast = state.withLock { state in
            let count = state.responders.count
            state.responders.removeAll { $0.object == nil || $0.object === responder }
            return count > 0 && state.responders.isEmpty
        }
        if wasLast { invalidate() }
    }

    /// The objects that take part, in the order in which they were added.
    public var responders: [any UserActivityResponder] {
        state.withLock { $0.responders.compactMap(\.object) }
    }

    /// Brings the activity up to date, because it is about to go to another device.
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
