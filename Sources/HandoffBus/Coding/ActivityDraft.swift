package import DBus
package import HandoffModel

/// The parts of an activity that its app may set, parsed from the bus and validated one by one.
package struct ActivityDraft: Hashable, Sendable {
    /// The names of the parts.
    package enum Key: String, CaseIterable, Sendable {
        case title = "Title"
        case webpageURL = "WebpageURL"
        case userInfo = "UserInfo"
        /// Also the value of userInfo at `Activity.documentURLKey`.
        case documentURL = "DocumentURL"
        case requiredUserInfoKeys = "RequiredUserInfoKeys"
        case teamID = "TeamID"
        case expirationDate = "ExpirationDate"
        case targetContentIdentifier = "TargetContentIdentifier"
        case persistentIdentifier = "PersistentIdentifier"
        case supportsContinuationStreams = "SupportsContinuationStreams"
        case eligible = "Eligible"
        case needsSave = "NeedsSave"
        case delegate = "Delegate"
        case application = "Application"
    }

    package var properties = Activity.Properties()
    package var isEligible = true
    /// Whether the app has newer state than it has sent.
    package var needsSave = false
    /// The app's object with `org.handoffd.ActivityDelegate1`; nil when it receives no callbacks.
    package var delegate: ObjectPath?
    /// The id of the app's desktop file, whose team the activity has if it has none of its own; nil for none.
    package var application: String?

    /// More than a file name can have is refused.
    private static let maximumApplicationBytes = 255

    package init() {}

    /// Creates a draft from an existing activity.
    package init(
        _ activity: Activity,
        isEligible: Bool = true,
        needsSave: Bool = false,
        delegate: ObjectPath? = nil,
        application: String? = nil
    ) {
        properties = activity.properties
        self.isEligible = isEligible
        self.needsSave = needsSave
        self.delegate = delegate
        self.application = application
    }

    /// Parses the `properties` argument of `CreateActivity`.
    ///
    /// - Throws: ``DBusError`` whose name and message identify the invalid part, also for an unknown key, so that
    ///   misspellings are noticed.
    package init(properties: Value) throws(DBusError) {
        var rest = properties.stringDictionary ?? [:]
        // userInfo comes first: it may contain another document than the part of its own.
        if let userInfo = rest.removeValue(forKey: Key.userInfo.rawValue) { try set(.userInfo, to: userInfo) }
        for (key, value) in rest.sorted(by: { $0.key < $1.key }) {
            try set(key, to: value)
        }
    }

    /// Sets one part by its name; see ``set(_:to:)-(Key,_)``.
    ///
    /// - Throws: ``DBusError`` whose name and message identify the invalid part, also for an unknown name.
    package mutating func set(_ name: String, to value: Value) throws(DBusError) {
        guard let key = Key(rawValue: name) else {
            let known = Key.allCases.map(\.rawValue).joined(separator: ", ")
            throw HandoffErrorName.invalidArgument.reply("An activity has no property \"\(name)\"; it has \(known).")
        }
        try set(key, to: value)
    }

    /// Sets one part; an empty string or list, a date of 0, and the path `/` mean absent.
    ///
    /// - Throws: ``DBusError`` whose name and message identify the invalid part.
    package mutating func set(_ key: Key, to value: Value) throws(DBusError) {
        switch key {
        case .title: properties.title = try value.string(for: key)
        case .webpageURL: properties.webpageURL = try value.webpageURL(for: key)
        case .userInfo: properties.userInfo = try UserInfoCoding.userInfo(from: value)
        case .documentURL:
            properties.documentURL = try value.fileURL(for: key)?.description
        case .requiredUserInfoKeys: properties.requiredUserInfoKeys = try value.strings(for: key)
        case .teamID: properties.teamID = try value.string(for: key)
        case .expirationDate: properties.expiration = try value.date(for: key)
        case .targetContentIdentifier: properties.targetContentIdentifier = try value.string(for: key)
        case .persistentIdentifier: properties.persistentIdentifier = try value.string(for: key)
        case .supportsContinuationStreams: properties.supportsContinuationStreams = try value.boolean(for: key)
        case .eligible: isEligible = try value.boolean(for: key)
        case .needsSave: needsSave = try value.boolean(for: key)
        case .delegate: delegate = try value.object(for: key)
        case .application: application = try Self.application(value.string(for: key))
        }
    }

    private static func application(_ id: String?) throws(DBusError) -> String? {
        guard let id, id.utf8.count > maximumApplicationBytes else { return id }
        throw HandoffErrorName.invalidArgument.reply(
            "Application is the id of a desktop file, such as org.example.Editor, of at most 255 bytes."
        )
    }

    /// Returns the activity with these parts.
    ///
    /// - Throws: ``DBusError`` whose name and message identify the invalid part.
    package func activity(ofType type: String) throws(DBusError) -> Activity {
        try mappingModelError { () throws(ModelError) in
            try Activity(type: ActivityType(type), properties: properties)
        }
    }
}

extension ActivityDraft {
    /// Returns one part as the property of that name, which is never absent: an absent part is empty, 0 or `/`.
    package func value(of key: Key) -> Value {
        switch key {
        case .title: .string(properties.title ?? "")
        case .webpageURL: .string(properties.webpageURL?.rawValue ?? "")
        case .userInfo: UserInfoCoding.value(of: properties.userInfo)
        case .documentURL: .string(properties.documentURL ?? "")
        case .requiredUserInfoKeys: properties.requiredUserInfoKeys.sorted().value
        case .teamID: .string(properties.teamID ?? "")
        case .expirationDate: .uint64(properties.expiration?.unsignedMicroseconds ?? 0)
        case .targetContentIdentifier: .string(properties.targetContentIdentifier ?? "")
        case .persistentIdentifier: .string(properties.persistentIdentifier ?? "")
        case .supportsContinuationStreams: .boolean(properties.supportsContinuationStreams)
        case .eligible: .boolean(isEligible)
        case .needsSave: .boolean(needsSave)
        case .delegate: .objectPath(delegate ?? .root)
        case .application: .string(application ?? "")
        }
    }

    /// Returns the parts that differ from those of `old`, as properties.
    package func changes(since old: ActivityDraft) -> [String: Value] {
        var changes: [String: Value] = [:]
        for key in Key.allCases where key != .userInfo {
            let value = value(of: key)
            if value != old.value(of: key) { changes[key.rawValue] = value }
        }
        // Compared before it is encoded, since it is the only large part.
        if properties.userInfo != old.properties.userInfo { changes[Key.userInfo.rawValue] = value(of: .userInfo) }
        return changes
    }

    /// The parts as the `properties` argument of `CreateActivity`: those that differ from the defaults.
    package var value: Value { changes(since: ActivityDraft()).value }
}

extension ActivityDraft.Key {
    /// The D-Bus type of the part.
    package var type: ValueType {
        switch self {
        case .title, .webpageURL, .documentURL, .teamID, .targetContentIdentifier, .persistentIdentifier,
            .application:
            .string
        case .userInfo: [String: Value].valueType
        case .requiredUserInfoKeys: .array(.string)
        case .expirationDate: .uint64
        case .supportsContinuationStreams, .eligible, .needsSave: .boolean
        case .delegate: .objectPath
        }
    }

    /// Whether the part is sent to the device on which the activity is continued.
    package var isShared: Bool {
        switch self {
        // The document URL is sent in userInfo.
        case .eligible, .needsSave, .delegate, .documentURL, .application: false
        default: true
        }
    }
}

/// Runs `body`, and converts a ``ModelError`` to the corresponding error reply.
package func mappingModelError<Success>(_ body: () throws(ModelError) -> Success) throws(DBusError) -> Success {
    do {
        return try body()
    } catch {
        throw HandoffErrorName(error.code).reply(error.message)
    }
}

extension HandoffErrorName {
    /// Creates the name that corresponds to an error code of the model.
    package init(_ code: ModelError.Code) {
        self =
            switch code {
            case .invalidActivityType: .invalidActivityType
            case .invalidWebpageURL: .invalidWebpageURL
            case .titleTooLong: .invalidTitle
            case .payloadTooLarge: .payloadTooLarge
            case .invalidFolder, .invalidFileURL: .invalidDocument
            case .userInfoTooDeep, .invalidValue, .invalidDate: .invalidUserInfo
            default: .invalidArgument
            }
    }
}
