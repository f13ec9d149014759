import AsyncSupport
import BlueZ

/// Decides whether a dial that failed is made again, and when.
///
/// Pure. Some failures say nothing about the peer: the kernel was busy with another connection, or the first packets on
/// the new link were lost (0x3E, which Linux calls ENOSYS). They pass, so they are tried again while there is time.
struct DialBackoff {
    private var backoff = Backoff(first: .milliseconds(100), longest: .seconds(2))

    /// How long to wait before the next dial; nil when there should be none.
    mutating func delay(after failure: L2CAPError.Code, left: Duration) -> Duration? {
        guard failure == .transient || failure == .busy, left > backoff.nextDelay else { return nil }
        return backoff.advance()
    }
}
