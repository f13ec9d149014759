package import DBus
package import HandoffModel

/// The encoding of an activity on the bus: a dictionary `a{sv}` with the key `Type` and those of ``ActivityDraft`` that
/// are shared with other devices.
///
/// Absent keys mean absent parts; later versions may add keys, and readers ignore unknown ones.
package enum ActivityCoding {
    /// Returns a whole activity as a value, as in the reply to `Fetch`.
    package static func value(of activity: Activity) -> Value {
        var entries = ActivityDraft(activity).changes(since: ActivityDraft())
        entries["Type"] = .string(activity.type.rawValue)
        entries[ActivityDraft.Key.userInfo.rawValue] = UserInfoCoding.value(of: activity.userInfo)
        return entries.value
    }

    /// Returns a whole activity from another device as a value, with the name by which a stream to its app is opened.
    package static func value(of fetched: FetchedActivity) -> Value {
        guard let continuation = fetched.continuation, var entries = value(of: fetched.activity).stringDictionary else {
            return value(of: fetched.activity)
        }
        entries["Continuation"] = .string(continuation)
        return entries.value
    }

    /// Parses a whole activity from another device.
    ///
    /// - Throws: ``DBusError`` whose name and message identify the invalid part.
    package static func fetched(from value: Value) throws(DBusError) -> FetchedActivity {
        FetchedActivity(
            try activity(from: value),
            continuation: value.stringDictionary?["Continuation"]?.string
        )
    }

    /// Parses a whole activity.
    ///
    /// - Throws: ``DBusError`` whose name and message identify the invalid part.
    package static func activity(from value: Value) throws(DBusError) -> Activity {
        guard let entries = value.stringDictionary, let type = entries["Type"]?.string else {
            throw HandoffErrorName.invalidArgument.reply("An activity must be a dictionary a{sv} with a Type.")
        }
        var draft = ActivityDraft()
        for key in ActivityDraft.Key.allCases where key.isShared {
            if let entry = entries[key.rawValue] { try draft.set(key, to: entry) }
        }
        return try draft.activity(ofType: type)
    }
}
