import DBus

/// A domain that an app claims, as exported by `org.handoffd.Apps1`.
package struct DomainDescription: Hashable, Sendable {
    /// The domain, such as `example.org` or `*.example.org`.
    package let domain: String
    /// Whether its pages open the app: `pending`, `approved`, `refused` or `lapsed`.
    package let state: String
    /// When the site has last confirmed what it says about its apps, in microseconds since 1970; 0 for never.
    package let verified: UInt64
    /// When the last check has ended, in microseconds since 1970; 0 for never.
    package let checked: UInt64
    /// Why the last check has failed, or why the app is refused, as a name for programs; empty for neither.
    package let failure: String
    /// The same as the part of a sentence that follows "because"; empty for neither.
    package let reason: String
    /// Whether a check is due or being made.
    package let isChecking: Bool

    package init(
        domain: String,
        state: String,
        verified: UInt64 = 0,
        checked: UInt64 = 0,
        failure: String = "",
        reason: String = "",
        isChecking: Bool = false
    ) {
        self.domain = domain
        self.state = state
        self.verified = verified
        self.checked = checked
        self.failure = failure
        self.reason = reason
        self.isChecking = isChecking
    }

    /// Reads a dictionary; what is absent or of another type is empty, 0 or false.
    init(_ properties: [String: Value]) {
        domain = properties["Domain"]?.string ?? ""
        state = properties["State"]?.string ?? ""
        verified = properties["Verified"]?.uint64 ?? 0
        checked = properties["Checked"]?.uint64 ?? 0
        failure = properties["Failure"]?.string ?? ""
        reason = properties["Reason"]?.string ?? ""
        isChecking = properties["Checking"]?.boolean ?? false
    }

    var value: [String: Value] {
        [
            "Domain": .string(domain), "State": .string(state), "Verified": .uint64(verified),
            "Checked": .uint64(checked), "Failure": .string(failure), "Reason": .string(reason),
            "Checking": .boolean(isChecking),
        ]
    }
}
