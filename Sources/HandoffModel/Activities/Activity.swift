/// What a user is doing in an app, in a form that another device can continue.
///
/// An `Activity` satisfies all bounds of ``ActivityLimits`` except the encoded size, which HandoffWire checks. It is
/// immutable: ``with(_:)`` returns a value with other properties and the same type.
package struct Activity: Hashable, Sendable {
    /// The key of userInfo for the URL of the document that the activity is about, as in Apple's Handoff.
    package static let documentURLKey = "NSUserActivityDocumentURLKey"

    /// The properties of an activity besides its type; unchecked until they become an ``Activity``.
    package struct Properties: Hashable, Sendable {
        /// A short text that may be shown to users, at most ``ActivityLimits/titleBytes``.
        package var title: String?
        /// The web page with which a browser continues when no app does.
        package var webpageURL: WebpageURL?
        /// The app's state, and the document under ``Activity/documentURLKey`` if there is one.
        ///
        /// Setting it without that key keeps the document: an app that replaces its state does not close its document.
        /// A URL under the key becomes the document.
        package var userInfo: [String: UserInfoValue] {
            get {
                guard let documentURL else { return ownUserInfo }
                return ownUserInfo.merging([Activity.documentURLKey: .url(documentURL)]) { _, url in url }
            }
            set {
                ownUserInfo = newValue
                guard case .url(let url) = newValue[Activity.documentURLKey] else { return }
                ownUserInfo[Activity.documentURLKey] = nil
                documentURL = url
            }
        }
        /// The entries of ``userInfo`` without the document.
        private var ownUserInfo: [String: UserInfoValue] = [:]
        /// See ``Activity/documentURL``.
        package var documentURL: String?
        /// The keys of ``userInfo`` that are sufficient to continue; empty means all of them.
        package var requiredUserInfoKeys: Set<String> = []
        /// The team whose apps may continue it: 1…64 of letters, digits, `.`, `-` and `_`.
        package var teamID: String?
        /// When the activity expires.
        package var expiration: Timestamp?
        /// The content to which it belongs, so that a receiver can choose the window.
        package var targetContentIdentifier: String?
        /// The identifier by which the origin can find or delete it later.
        package var persistentIdentifier: String?
        /// Whether the origin accepts continuation streams for it.
        package var supportsContinuationStreams = false
        /// The number by which the origin identifies an activity that was fetched from it and supports streams; never
        /// 0.
        package var streamToken: UInt64?

        /// Makes empty properties.
        package init() {}
    }

    /// The type, which never changes.
    package let type: ActivityType

    /// The validated properties besides the type.
    package let properties: Properties

    /// Makes an activity of validated properties.
    ///
    /// - Throws: ``ModelError`` naming the first property that violates a bound.
    package init(type: ActivityType, properties: Properties) throws(ModelError) {
        try properties.validate()
        self.type = type
        self.properties = properties
    }

    /// Makes an activity of its parts.
    ///
    /// - Throws: ``ModelError`` naming the first part that violates a bound.
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

    /// Returns the activity with changed properties.
    ///
    /// - Throws: ``ModelError`` when the change violates a bound.
    package func with(_ change: (inout Properties) -> Void) throws(ModelError) -> Activity {
        var changed = properties
        change(&changed)
        return try Activity(type: type, properties: changed)
    }

    /// The activity as it is sent to a peer: with its document, and with only the required keys of userInfo, if any are
    /// named.
    package var reducedToRequiredKeys: Activity {
        guard !properties.requiredUserInfoKeys.isEmpty else { return self }
        var reduced = properties
        reduced.userInfo = properties.userInfo.filter { properties.requiredUserInfoKeys.contains($0.key) }
        return Activity(type: type, unchecked: reduced)
    }

    /// The activity with its web page alone, if it has one.
    package var withoutDocument: Activity {
        var undocumented = properties
        undocumented.documentURL = nil
        return Activity(type: type, unchecked: undocumented)
    }

    /// Returns the activity with the token by which its origin opens streams to it.
    package func withStreamToken(_ token: UInt64) -> Activity {
        var named = properties
        named.streamToken = token
        return Activity(type: type, unchecked: named)
    }

    /// Returns the activity with values that are within the bounds because the replaced ones were.
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

extension Activity.Properties {
    /// Whether both are sent as the same bytes: texts are compared byte by byte, also the keys of userInfo.
    package static func == (left: Self, right: Self) -> Bool {
        left.title.isExactly(right.title) && left.webpageURL == right.webpageURL
            && UserInfoValue.haveEqualEntries(left.ownUserInfo, right.ownUserInfo)
            && left.documentURL.isExactly(right.documentURL)
            && left.requiredUserInfoKeys.isExactly(right.requiredUserInfoKeys) && left.teamID == right.teamID
            && left.expiration == right.expiration
            && left.targetContentIdentifier.isExactly(right.targetContentIdentifier)
            && left.persistentIdentifier.isExactly(right.persistentIdentifier)
            && left.supportsContinuationStreams == right.supportsContinuationStreams
            && left.streamToken == right.streamToken
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
    /// The URL of the document that it is about, which is also the value of userInfo for ``documentURLKey``.
    ///
    /// In an activity of this device and in one that has been fetched it is a `file:` URL of this device.
    package var documentURL: String? { properties.documentURL }
    /// See ``Properties/supportsContinuationStreams``.
    package var supportsContinuationStreams: Bool { properties.supportsContinuationStreams }
}
