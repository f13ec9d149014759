package import DBus

/// How much the daemon scans at present, as `Manager1.Scanning` tells it.
package struct ScanningDescription: Hashable, Sendable {
    /// How much it scans: `none`, `windows`, `continuous` or what a later version knows.
    ///
    /// Empty when the daemon does not tell.
    package let effort: String
    /// The time from the beginning of a window to that of the next one, in microseconds; nil unless it scans in windows.
    package let interval: UInt64?
    /// Why nothing, or only seldom, is scanned, for programs; empty when it scans as usual.
    ///
    /// `radio`, `no-devices`, `paused`, `away`, `sound`, `unheard` or one of a later version.
    package let reason: String
    /// What that means, and what to do, in a sentence for people; empty without a reason.
    package let message: String

    package init(effort: String, interval: UInt64?, reason: String, message: String) {
        self.effort = effort
        self.interval = interval
        self.reason = reason
        self.message = message
    }

    /// Reads the property; an absent one has no effort.
    package init(_ value: Value?) {
        let keys = value?.stringDictionary ?? [:]
        effort = keys["Effort"]?.string ?? ""
        interval = keys["Interval"]?.uint64
        reason = keys["Reason"]?.string ?? ""
        message = keys["Message"]?.string ?? ""
    }

    /// A value of the type `a{sv}`.
    package var value: Value {
        var keys: [String: Value] = ["Effort": .string(effort)]
        keys["Interval"] = interval.map(Value.uint64)
        if !reason.isEmpty {
            keys["Reason"] = .string(reason)
            keys["Message"] = .string(message)
        }
        return keys.value
    }

    /// Whether it scans continuously for a client that looks.
    package var canLook: Bool { !["radio", "no-devices", "paused"].contains(reason) }

    /// Whether only the circumstances, and nothing that the person has set or that has failed, restrain it.
    package var isRestrained: Bool { ["away", "sound", "unheard"].contains(reason) }
}
