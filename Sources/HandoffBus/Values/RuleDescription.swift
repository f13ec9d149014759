package import DBus

/// A rule of the person about an app, a type, a site or a device, as exported by `org.handoffd.Rules1`; encoded as
/// `handoffctl rules --json` prints it.
package struct RuleDescription: Hashable, Sendable, Encodable {
    /// `allow` or `deny`.
    package let verdict: String
    /// `app`, `type`, `site` or `device`.
    package let kind: String
    /// The id, type or host that the rule is about.
    package let value: String

    package init(verdict: String, kind: String, value: String) {
        self.verdict = verdict
        self.kind = kind
        self.value = value
    }

    /// Reads a dictionary; what is absent or of another type is empty.
    init(_ properties: [String: Value]) {
        verdict = properties["Verdict"]?.string ?? ""
        kind = properties["Kind"]?.string ?? ""
        value = properties["Value"]?.string ?? ""
    }

    var dictionary: [String: Value] {
        ["Verdict": .string(verdict), "Kind": .string(kind), "Value": .string(value)]
    }
}

/// An activity that the rules withhold, as exported by `org.handoffd.Rules1`.
package struct WithheldDescription: Hashable, Sendable {
    /// The object of an activity of this device; nil for one of another device.
    package let activity: ObjectPath?
    /// The id of the other device; of an activity of this device, the only one that does not get it, empty when none does.
    package let device: String
    /// The name of the other device; empty like its id.
    package let deviceName: String
    /// The activity type; empty while it is unknown.
    package let type: String
    /// `paused`, `receive-only`, `denied`, `not-allowed`, `unknown-host` or `denied-there`.
    package let reason: String
    /// The kind of the rule; empty for a pause and for receiving only.
    package let kind: String
    /// What the rule is about; empty unless the reason is `denied`.
    package let value: String
    /// The rule, and how to end it, in a sentence.
    package let message: String

    package init(
        activity: ObjectPath? = nil,
        device: String = "",
        deviceName: String = "",
        type: String,
        reason: String,
        kind: String,
        value: String,
        message: String
    ) {
        self.activity = activity
        self.device = device
        self.deviceName = deviceName
        self.type = type
        self.reason = reason
        self.kind = kind
        self.value = value
        self.message = message
    }

    /// Reads a dictionary; what is absent or of another type is empty.
    init(_ properties: [String: Value]) {
        activity = properties["Activity"]?.objectPath
        device = properties["Device"]?.string ?? ""
        deviceName = properties["DeviceName"]?.string ?? ""
        type = properties["Type"]?.string ?? ""
        reason = properties["Reason"]?.string ?? ""
        kind = properties["Kind"]?.string ?? ""
        value = properties["Value"]?.string ?? ""
        message = properties["Message"]?.string ?? ""
    }

    var dictionary: [String: Value] {
        let texts = [
            "Device": device, "DeviceName": deviceName, "Type": type, "Reason": reason, "Kind": kind, "Value": value,
            "Message": message,
        ]
        var dictionary = texts.filter { !$0.value.isEmpty }.mapValues(Value.string)
        if let activity { dictionary["Activity"] = .objectPath(activity) }
        return dictionary
    }
}
