package import DBus
package import HandoffModel

/// How an activity stands on the bus: a dictionary `a{sv}` with the key `Type` and those of ``ActivityDraft`` that are
/// shared with other devices.
///
/// Absent keys mean absent parts; more keys may come, and readers ignore those that they do not know.
package enum ActivityCoding {
    /// A whole activity, as `Continue` returns it.
    package static func value(of activity: Activity) -> Value {
        var entries = ActivityDraft(activity).changes(since: ActivityDraft())
        entries["Type"] = .string(activity.type.rawValue)
        entries[ActivityDraft.Key.userInfo.rawValue] = UserInfoCoding.value(of: activity.userInfo)
        return entries.value
    }

    /// A whole activity that came from another device, with what it is called when a stream is asked for.
    package static func value(of fetched: FetchedActivity) -> Value {
        guard let continuation = fetched.continuation, var entries = value(of: fetched.activity).stringDictionary else {
            return value(of: fetched.activity)
        }
        entries["Continuation"] = .string(continuation)
        return entries.value
    }

    /// Reads a whole activity that came from another device.
    ///
    /// - Throws: ``DBusError`` with the name of what is wrong.
    package static func fetched(from value: Value) throws(DBusError) -> FetchedActivity {
        FetchedActivity(
            try activity(from: value),
            continuation: value.stringDictionary?["Continuation"]?.string
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
        for key in ActivityDraft.Key.allCases where key.isShared {
            if let entry = entries[key.rawValue] { try draft.set(key, to: entry) }
        }
        return try draft.activity(ofType: type)
    }
}
