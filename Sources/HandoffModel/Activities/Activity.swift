/// What a person is doing in an app, in a form that another device can continue.
///
/// An `Activity` keeps all bounds of ``ActivityLimits`` except the encoded size, which HandoffWire knows. Its type never
/// changes; the other properties change by making a new value with ``with(_:)``.
package struct Activity: Hashable, Sendable {
    /// Under which key of userInfo the URL of the document is that the activity is about, as in Apple's Handoff.
    package static let documentURLKey = "NSUserActivityDocumentURLKey"

    /// What an app says about an activity besides its type; unchecked until it becomes an ``Activity``.
    package struct Properties: Hashable, Sendable {
        /// A short text that may be shown to a person, at most ``ActivityLimits/titleBytes``.
        package var title: String?
        /// Where a browser continues when no app does.
        package var webpageURL: WebpageURL?
        /// The app's state.
        package var userInfo: [String: UserInfoValue] = [:]
        /// Which keys of ``userInfo`` are enough to continue; empty means all of them.
        package var requiredUserInfoKeys: Set<String> = []
        /// Whose apps may continue it: 1…64 of letters, digits, `.`, `-` and `_`.
        package var teamID: String?
        /// When it stops being worth continuing.
        package var expiration: Timestamp?
        /// Which content it belongs to, so that a receiver can pick the window.
        package var targetContentIdentifier: String?
        /// Under which name the origin can find or delete it later.
        package var persistentIdentifier: String?
        /// Whether the origin answers a request for continuation streams.
        package var supportsContinuationStreams = false
        /// What the origin calls an activity that was fetched from it and supports streams; never 0.
        package var streamToken: UInt64?

        /// See ``Activity/documentURL``.
        package var documentURL: String? {
            if case .url(let url) = userInfo[Activity.documentURLKey] { url } else { nil }
        }

        /// Makes properties that say nothing.
        package init() {}
    }

    /// What is being done, fixed for life.
    package let type: ActivityType

    /// All that is known besides the type, within bounds.
    package let properties: Properties

    /// Makes an activity of properties that keep the bounds.
    ///
    /// - Throws: ``ModelError`` naming the first property that does not.
    package init(type: ActivityType, properties: Properties) throws(ModelError) {
        try properties.validate()
        self.type = type
        self.properties = properties
    }

    /// Makes an activity of parts that keep the bounds.
    ///
    /// - Throws: ``ModelError`` naming the first part that does not.
    package init(
        type: ActivityType,
        title: String? = nil,
        webpageURL: WebpageURL? = nil,
        userInfo: [String: UserInfoValue] = [:],
        requiredUserInfoKeys: Set<String> = [],
        teamID: String? = nil,
        expiration: Timestamp? = nil,
        targetContentIdentifier: String? = nil,
        persistentIdentifier: String? = nil,
        supportsContinuationStreams: Bool = false
    ) throws(ModelError) {
        var properties = Properties()
        properties.title = title
        properties.webpageURL = webpageURL
        properties.userInfo = userInfo
        properties.requiredUserInfoKeys = requiredUserInfoKeys
        properties.teamID = teamID
        properties.expiration = expiration
        properties.targetContentIdentifier = targetContentIdentifier
        properties.persistentIdentifier = persistentIdentifier
        properties.supportsContinuationStreams = supportsContinuationStreams
        try self.init(type: type, properties: properties)
    }

    /// The same activity with changed properties.
    ///
    /// - Throws: ``ModelError`` when the change breaks a bound.
    package func with(_ change: (inout Properties) -> Void) throws(ModelError) -> Activity {
        var changed = properties
        change(&changed)
        return try Activity(type: type, properties: changed)
    }

    /// The activity as it goes on the air: only the required keys of userInfo, when any are named.
    package var reducedToRequiredKeys: Activity {
        guard !properties.requiredUserInfoKeys.isEmpty else { return self }
        var reduced = properties
        reduced.userInfo = properties.userInfo.filter { properties.requiredUserInfoKeys.contains($0.key) }
        return Activity(type: type, unchecked: reduced)
    }

    /// The same activity with a name by which its origin gives streams to it.
    package func withStreamToken(_ token: UInt64) -> Activity {
        var named = properties
        named.streamToken = token
        return Activity(type: type, unchecked: named)
    }

    /// The same activity with values that keep the bounds because those they replace did.
    func replacing(userInfo: [String: UserInfoValue]) -> Activity {
        var replaced = properties
        replaced.userInfo = userInfo
        return Activity(type: type, unchecked: replaced)
    }

    private init(type: ActivityType, unchecked properties: Properties) {
        self.type = type
        self.properties = properties
    }
}

extension Activity {
    /// See ``Properties/title``.
    package var title: String? { properties.title }
    /// See ``Properties/webpageURL``.
    package var webpageURL: WebpageURL? { properties.webpageURL }
    /// See ``Properties/userInfo``.
    package var userInfo: [String: UserInfoValue] { properties.userInfo }
    /// See ``Properties/requiredUserInfoKeys``.
    package var requiredUserInfoKeys: Set<String> { properties.requiredUserInfoKeys }
    /// See ``Properties/teamID``.
    package var teamID: String? { properties.teamID }
    /// See ``Properties/expiration``.
    package var expiration: Timestamp? { properties.expiration }
    /// See ``Properties/targetContentIdentifier``.
    package var targetContentIdentifier: String? { properties.targetContentIdentifier }
    /// See ``Properties/persistentIdentifier``.
    package var persistentIdentifier: String? { properties.persistentIdentifier }
    /// The URL of the document that it is about: userInfo's at ``documentURLKey``.
    ///
    /// In an activity of this device and in one that has been fetched it is a `file:` URL of this device.
    package var documentURL: String? { properties.documentURL }
    /// See ``Properties/supportsContinuationStreams``.
    package var supportsContinuationStreams: Bool { properties.supportsContinuationStreams }
}
