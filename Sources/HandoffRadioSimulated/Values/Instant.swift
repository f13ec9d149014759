import AsyncSupport
private import Glibc

/// An instant on `CLOCK_MONOTONIC`, which all processes of a machine share (clock_gettime(2)).
struct Instant: Hashable, Comparable, Sendable {
    let nanoseconds: UInt64

    static var now: Instant {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Instant(nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
    }

    static func < (one: Instant, other: Instant) -> Bool {
        one.nanoseconds < other.nanoseconds
    }

    static func + (instant: Instant, duration: Duration) -> Instant {
        let (seconds, attoseconds) = duration.components
        return Instant(
            nanoseconds: instant.nanoseconds &+ UInt64(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
        )
    }

    /// Waits until this instant, at most 10 s, because a packet may contain any instant.
    ///
    /// - Throws: `CancellationError`.
    func wait() async throws {
        let now = Instant.now
        guard self > now else { return }
        try await sleep(for: .nanoseconds(min(nanoseconds - now.nanoseconds, 10_000_000_000)))
    }
}
