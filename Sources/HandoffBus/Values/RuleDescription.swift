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

/// What the person at a device allows, as its properties on the bus tell.
package struct RulesStatus: Sendable {
    package let isPaused: Bool
    /// When the pause ends, in microseconds since 1970; 0 when it has no end.
    package let pausedUntil: UInt64
    /// Whether this device offers nothing.
    package let isReceiveOnly: Bool
    package let rules: [RuleDescription]
    package let withheld: [WithheldDescription]

    /// Reads the properties of `org.handoffd.Rules1`; what is absent or of another type is false or empty.
    package init(_ properties: [String: Value]) {
        isPaused = properties["Paused"]?.boolean ?? false
        pausedUntil = properties["PausedUntil"]?.uint64 ?? 0
        isReceiveOnly = properties["ReceiveOnly"]?.boolean ?? false
        rules = (properties["Rules"]?.dictionaries ?? []).map(RuleDescription.init)
        withheld = Self.withheld(properties["Withheld"])
    }

    /// Reads the property `Withheld`, as it is in a change of properties, too.
    package static func withheld(_ value: Value?) -> [WithheldDescription] {
        (value?.dictionaries ?? []).map(WithheldDescription.init)
    }
}
