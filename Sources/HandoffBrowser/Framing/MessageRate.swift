/// How many messages the extension may send: a bucket that fills with time, from which each message takes one.
///
/// The extension joins the events of a page, so that it sends about ten messages in a second at most; a page that
/// changes its title in a loop causes no more.
package struct MessageRate: Sendable {
    /// The messages that may come at once.
    package static let burst = 200.0
    /// The messages in a second that may come for as long as they like.
    package static let perSecond = 50.0

    private var tokens = Self.burst
    private var last: ContinuousClock.Instant?

    package init() {}

    /// Counts a message.
    ///
    /// - Parameter now: the moment at which it came; not before that of the last call.
    /// - Throws: ``BrowserError`` with `tooManyMessages`.
    package mutating func count(at now: ContinuousClock.Instant) throws(BrowserError) {
        if let last { tokens = min(Self.burst, tokens + (now - last) / .seconds(1) * Self.perSecond) }
        last = now
        guard tokens >= 1 else {
            throw BrowserError(
                .tooManyMessages,
                "The extension sends more than \(Int(Self.perSecond)) messages a second."
            )
        }
        tokens -= 1
    }
}
