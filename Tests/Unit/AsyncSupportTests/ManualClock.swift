import AsyncSupport

/// A clock that only the test advances.
final class ManualClock: Clock {
    struct Instant: InstantProtocol {
        let offset: Duration

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

        func duration(to other: Instant) -> Duration { other.offset - offset }

        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private let time = CurrentValue(Instant(offset: .zero))

    var now: Instant { time.value }

    var minimumResolution: Duration { .nanoseconds(1) }

    func advance(by duration: Duration) {
        time.modify { $0 = $0.advanced(by: duration) }
    }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        var time = time.current
        while time.value < deadline { time = try await self.time.changed(since: time) }
    }
}
