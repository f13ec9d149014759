public import FoundationEssentials
import HandoffBus
import HandoffModel

extension UserActivity {
    /// A short title to show to the user, at most 1024 bytes of UTF-8.
    public var title: String? {
        get { self[\.title] }
        set { self[\.title] = newValue }
    }

    /// The state to continue from; 3 KiB or less is recommended, more than 64 KiB is refused.
    ///
    /// Setting it replaces all entries but that of ``NSUserActivityDocumentURLKey``: only setting ``documentURL`` to nil
    /// removes the document.
    public var userInfo: [String: UserInfoValue] {
        get { self[\.userInfo].mapValues(UserInfoValue.init(model:)) }
        set { self[\.userInfo] = newValue.mapValues(\.model) }
    }

    /// Adds entries to ``userInfo``; replaces those with the same key.
    public func addUserInfoEntries(from other: [String: UserInfoValue]) {
        handoff.publisher.change(id) { $0.properties.userInfo.merge(other.mapValues(\.model)) { _, new in new } }
    }

    /// The keys of ``userInfo`` that are sent, besides that of the document; the others are not.
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

    /// The document that the activity is about: a file of this device, also in an activity of another device.
    ///
    /// It is sent in ``userInfo``, under ``NSUserActivityDocumentURLKey``. The activity is offered to other devices while
    /// the document is in a synchronised folder; otherwise ``documentProblem`` gives the reason. For a document whose
    /// file may move, or whose activity type the app does not know, use ``HandoffDocument``.
    public var documentURL: DocumentURL? {
        get { self[\.documentURL].flatMap { try? FileURL($0) }.map(DocumentURL.init(model:)) }
        set { self[\.documentURL] = newValue?.description }
    }

    /// Why the document cannot follow to another device now, as a sentence for the user; nil while it can, for an
    /// activity without a document, and before the daemon has said so.
    ///
    /// It does not tell whether the file exists: an app may be in a sandbox that hides that from it.
    public var documentProblem: String? { handoff.publisher.published(id).documentProblem }

    /// Whether this is the activity of this device that other devices may continue.
    public var isCurrent: Bool { handoff.publisher.published(id).isCurrent }

    /// The size of the activity as it is sent, in bytes; nil before the daemon has reported it.
    ///
    /// ``SaveResult/recommendedSize`` or less is recommended; a larger one is reported to the developer once, on standard
    /// error, and in ``UserActivityDelegate/userActivity(_:didSave:)`` with each save.
    public var encodedSize: Int? { handoff.publisher.published(id).encodedSize }

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
    ///
    /// At first it is the team that the app's desktop file declares (`X-Handoff-TeamID`).
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
    /// delegate are asked once to update the activity. The first time they are asked in any case.
    public var needsSave: Bool {
        get { handoff.publisher.draft(of: id)?.needsSave ?? false }
        set { handoff.publisher.change(id) { $0.needsSave = newValue } }
    }

    private subscript<Part>(part: WritableKeyPath<Activity.Properties, Part>) -> Part {
        get { (handoff.publisher.draft(of: id)?.properties ?? Activity.Properties())[keyPath: part] }
        set { handoff.publisher.change(id) { $0.properties[keyPath: part] = newValue } }
    }
}
