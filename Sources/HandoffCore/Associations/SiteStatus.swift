/// What is known of a claim.
package struct SiteStatus: Hashable, Sendable {
    /// Whether pages of the domain open the app.
    package enum Verdict: String, Sendable, CaseIterable {
        /// The site was not asked yet, or has not answered yet.
        case pending
        /// The site approves the app: its pages open it.
        case approved
        /// The site has answered, and does not approve the app.
        case refused
        /// The site has approved the app, and could not be asked for too long since.
        case lapsed
    }

    package let verdict: Verdict
    /// When the site has last confirmed what it says about its apps, in microseconds since 1970; nil for never.
    package let verified: Int64?
    /// When the last check has ended, in microseconds since 1970; nil for never.
    package let checked: Int64?
    /// Why the last check has failed, or why the claim is refused; nil for neither.
    package let failure: SiteFailure?
    /// Whether a check is due or being made.
    package let isChecking: Bool

    package init(
        verdict: Verdict,
        verified: Int64? = nil,
        checked: Int64? = nil,
        failure: SiteFailure? = nil,
        isChecking: Bool = false
    ) {
        self.verdict = verdict
        self.verified = verified
        self.checked = checked
        self.failure = failure
        self.isChecking = isChecking
    }
}
