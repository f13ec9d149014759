package import DBus
package import HandoffModel

/// The parts of an activity that its app may set, read from the bus one by one and checked.
package struct ActivityDraft: Hashable, Sendable {
    /// The names of the parts.
    package enum Key: String, CaseIterable, Sendable {
        case title = "Title"
        case webpageURL = "WebpageURL"
        case userInfo = "UserInfo"
        /// A view of userInfo: its value at `Activity.documentURLKey`.
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
    }

    package var properties = Activity.Properties()
    package var isEligible = true
    /// Whether the app has newer state than it has told.
    package var needsSave = false
    /// The app's object with `org.handoffd.ActivityDelegate1`; nil when it takes no call-backs.
    package var delegate: ObjectPath?

    package init() {}

    /// The parts of an activity as it is.
    package init(_ activity: Activity, isEligible: Bool = true, needsSave: Bool = false, delegate: ObjectPath? = nil) {
        properties = activity.properties
        self.isEligible = isEligible
        self.needsSave = needsSave
        self.delegate = delegate
    }

    /// Reads the `properties` of `CreateActivity`.
    ///
    /// - Throws: ``DBusError`` for a key that does not exist, so that a slip of the pen does not pass unnoticed.
    package init(properties: Value) throws(DBusError) {
        var rest = properties.stringDictionary ?? [:]
        // First, since other parts are kept in it.
        if let userInfo = rest.removeValue(forKey: Key.userInfo.rawValue) { try set(.userInfo, to: userInfo) }
        for (key, value) in rest.sorted(by: { $0.key < $1.key }) {
            try set(key, to: value)
        }
    }

    /// Sets one part by its name; see ``set(_:to:)-(Key,_)``.
    ///
    /// - Throws: ``DBusError`` with the name of what is wrong, and for a name that means nothing.
    package mutating func set(_ name: String, to value: Value) throws(DBusError) {
        guard let key = Key(rawValue: name) else {
            let known = Key.allCases.map(\.rawValue).joined(separator: ", ")
            throw HandoffErrorName.invalidArgument.reply("An activity has no property \"\(name)\"; it has \(known).")
        }
        try set(key, to: value)
    }

    /// Sets one part; an empty text or list, a date of 0, and the path `/` mean none.
    ///
    /// - Throws: ``DBusError`` with the name of what is wrong.
    package mutating func set(_ key: Key, to value: Value) throws(DBusError) {
        switch key {
        case .title: properties.title = try value.string(for: key)
        case .webpageURL: properties.webpageURL = try value.webpageURL(for: key)
        case .userInfo: properties.userInfo = try UserInfoCoding.userInfo(from: value)
        case .documentURL:
            properties.userInfo[Activity.documentURLKey] = try value.fileURL(for: key).map { .url($0.description) }
        case .requiredUserInfoKeys: properties.requiredUserInfoKeys = try value.strings(for: key)
        case .teamID: properties.teamID = try value.string(for: key)
        case .expirationDate: properties.expiration = try value.date(for: key)
        case .targetContentIdentifier: properties.targetContentIdentifier = try value.string(for: key)
        case .persistentIdentifier: properties.persistentIdentifier = try value.string(for: key)
        case .supportsContinuationStreams: properties.supportsContinuationStreams = try value.boolean(for: key)
        case .eligible: isEligible = try value.boolean(for: key)
        case .needsSave: needsSave = try value.boolean(for: key)
        case .delegate: delegate = try value.object(for: key)
        }
    }

    /// The activity of these parts.
    ///
    /// - Throws: ``DBusError`` with the name of what is wrong.
    package func activity(ofType type: String) throws(DBusError) -> Activity {
        try mappingModelError { () throws(ModelError) in
            try Activity(type: ActivityType(type), properties: properties)
        }
    }
}

extension ActivityDraft {
    /// One part as the property of that name, which is never absent: empty, 0 or `/` for none.
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
        }
    }

    /// The parts that differ from those of `old`, as properties.
    package func changes(since old: ActivityDraft) -> [String: Value] {
        var changes: [String: Value] = [:]
        for key in Key.allCases where key != .userInfo {
            let value = value(of: key)
            if value != old.value(of: key) { changes[key.rawValue] = value }
        }
        // Compared before it is put into the words of the bus, since it is the only large one.
        if properties.userInfo != old.properties.userInfo { changes[Key.userInfo.rawValue] = value(of: .userInfo) }
        return changes
    }

    /// The parts as the `properties` of `CreateActivity`: those that differ from what an activity has by itself.
    package var value: Value { changes(since: ActivityDraft()).value }
}

extension ActivityDraft.Key {
    /// The D-Bus type of the part.
    package var type: ValueType {
        switch self {
        case .title, .webpageURL, .documentURL, .teamID, .targetContentIdentifier, .persistentIdentifier: .string
        case .userInfo: [String: Value].valueType
        case .requiredUserInfoKeys: .array(.string)
        case .expirationDate: .uint64
        case .supportsContinuationStreams, .eligible, .needsSave: .boolean
        case .delegate: .objectPath
        }
    }

    /// Whether the part travels to the device on which the activity is continued.
    package var isShared: Bool {
        switch self {
        // userInfo has the document.
        case .eligible, .needsSave, .delegate, .documentURL: false
        default: true
        }
    }
}

/// Runs `body`, turning what it throws into the error reply of the same meaning.
package func mappingModelError<Success>(_ body: () throws(ModelError) -> Success) throws(DBusError) -> Success {
    do {
        return try body()
    } catch {
        throw HandoffErrorName(error.code).reply(error.message)
    }
}

extension HandoffErrorName {
    /// The name for an error of the model.
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
