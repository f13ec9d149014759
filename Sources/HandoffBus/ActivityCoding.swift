package import DBus
package import HandoffModel

/// How an activity stands on the bus: a dictionary `a{sv}` with the keys `Type`, `Title`, `WebpageURL` and `UserInfo`.
///
/// Absent keys mean absent parts; more keys may come, and readers ignore those that they do not know.
package enum ActivityCoding {
    /// A whole activity, as `Continue` returns it.
    package static func value(of activity: Activity) -> Value {
        var entries: [(String, Value)] = [("Type", .string(activity.type.rawValue))]
        if let title = activity.title { entries.append(("Title", .string(title))) }
        if let url = activity.webpageURL { entries.append(("WebpageURL", .string(url.rawValue))) }
        entries.append(("UserInfo", UserInfoCoding.value(of: activity.userInfo)))
        return .dictionary(
            key: .string,
            value: .variant,
            entries.map { DictionaryEntry(key: .string($0.0), value: .variant($0.1)) }
        )
    }

    /// Reads a whole activity.
    ///
    /// - Throws: ``DBusError`` with the name of what is wrong.
    package static func activity(from value: Value) throws(DBusError) -> Activity {
        guard let entries = value.stringDictionary, let type = entries["Type"]?.string else {
            throw HandoffErrorName.invalidArgument.reply("An activity is a dictionary a{sv} with a Type.")
        }
        var draft = ActivityDraft()
        for (key, entry) in entries where key != "Type" && ActivityDraft.Key(rawValue: key) != nil {
            try draft.set(key, to: entry)
        }
        return try draft.activity(ofType: type)
    }
}
