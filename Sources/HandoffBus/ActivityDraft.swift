package import DBus
package import HandoffModel

/// The parts of an activity that its app may set, read from the bus one by one and checked.
package struct ActivityDraft: Sendable {
    /// The names of the parts.
    package enum Key: String, CaseIterable, Sendable {
        case title = "Title"
        case webpageURL = "WebpageURL"
        case userInfo = "UserInfo"
        case eligible = "Eligible"
    }

    package var properties = Activity.Properties()
    package var isEligible = true

    package init() {}

    /// The parts of an activity as it is.
    package init(_ activity: Activity, isEligible: Bool) {
        properties = activity.properties
        self.isEligible = isEligible
    }

    /// Reads the `properties` of `CreateActivity`.
    ///
    /// - Throws: ``DBusError`` for a key that does not exist, so that a slip of the pen does not pass unnoticed.
    package init(properties: Value) throws(DBusError) {
        for (key, value) in (properties.stringDictionary ?? [:]).sorted(by: { $0.key < $1.key }) {
            try set(key, to: value)
        }
    }

    /// Sets one part; an empty title or URL means none.
    ///
    /// - Throws: ``DBusError`` with the name of what is wrong.
    package mutating func set(_ key: String, to value: Value) throws(DBusError) {
        switch Key(rawValue: key) {
        case .title:
            let text = try Self.string(value, key)
            properties.title = text.isEmpty ? nil : text
        case .webpageURL:
            let text = try Self.string(value, key)
            properties.webpageURL = text.isEmpty ? nil : try handingOn { () throws(ModelError) in try WebpageURL(text) }
        case .userInfo:
            properties.userInfo = try UserInfoCoding.userInfo(from: value)
        case .eligible:
            guard let boolean = value.boolean else { throw Self.wrongType(key, "a boolean", value) }
            isEligible = boolean
        case nil:
            let known = Key.allCases.map(\.rawValue).joined(separator: ", ")
            throw HandoffErrorName.invalidArgument.reply("An activity has no property \"\(key)\"; it has \(known).")
        }
    }

    /// The activity of these parts.
    ///
    /// - Throws: ``DBusError`` with the name of what is wrong.
    package func activity(ofType type: String) throws(DBusError) -> Activity {
        try handingOn { () throws(ModelError) in
            try Activity(type: ActivityType(type), properties: properties)
        }
    }

    private static func string(_ value: Value, _ key: String) throws(DBusError) -> String {
        guard let string = value.string else { throw wrongType(key, "a string", value) }
        return string
    }

    private static func wrongType(_ key: String, _ wanted: String, _ value: Value) -> DBusError {
        HandoffErrorName.invalidArgument.reply("\(key) is \(wanted), not a value of type \(value.type).")
    }
}

/// Runs `body`, turning what it throws into the error reply of the same meaning.
package func handingOn<Success>(_ body: () throws(ModelError) -> Success) throws(DBusError) -> Success {
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
            case .userInfoTooDeep, .invalidValue, .invalidDate: .invalidUserInfo
            default: .invalidArgument
            }
    }
}

extension ActivityDraft {
    /// The parts as the `properties` of `CreateActivity`.
    package var value: Value {
        var entries: [String: Value] = [
            Key.userInfo.rawValue: UserInfoCoding.value(of: properties.userInfo),
            Key.eligible.rawValue: .boolean(isEligible),
        ]
        entries[Key.title.rawValue] = properties.title.map(Value.string)
        entries[Key.webpageURL.rawValue] = (properties.webpageURL?.rawValue).map(Value.string)
        return entries.value
    }
}
