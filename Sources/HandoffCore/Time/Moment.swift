import HandoffCrypto

/// An instant by the two clocks that the state machines need.
///
/// The core never reads a clock; its caller passes the moment with each event.
package struct Moment: Hashable, Sendable {
    /// The time since an arbitrary start, which never jumps and continues while the machine is suspended
    /// (`CLOCK_BOOTTIME`).
    package let uptime: Duration

    /// Microseconds since 1970-01-01 00:00 UTC, by a clock that users and time servers may set.
    package let unixMicroseconds: Int64

    package init(uptime: Duration, unixMicroseconds: Int64) {
        self.uptime = uptime
        self.unixMicroseconds = unixMicroseconds
    }

    /// The advertising slot of this instant: advertisements are sealed under the keys of their slot.
    ///
    /// A clock set before 1970 counts as slot 0.
    package var slot: UInt64 {
        AdvertisementSealer.slot(unixSeconds: unixMicroseconds / 1_000_000)
    }

    /// The time until the next slot begins, always positive.
    package var timeToNextSlot: Duration {
        Self.slotDuration - .microseconds(max(0, unixMicroseconds) % (AdvertisementSealer.slotSeconds * 1_000_000))
    }

    /// The time since a slot began by the clock that may be set; zero before it.
    func time(since slot: UInt64) -> Duration {
        let border = Int64(clamping: slot).multipliedReportingOverflow(by: AdvertisementSealer.slotSeconds * 1_000_000)
        return border.overflow ? .zero : .microseconds(max(0, unixMicroseconds - border.partialValue))
    }

    /// Returns the instant `duration` later.
    package func advanced(by duration: Duration) -> Moment {
        let (seconds, attoseconds) = duration.components
        return Moment(
            uptime: uptime + duration,
            unixMicroseconds: unixMicroseconds + seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        )
    }

    /// When keys have to be moved forward next, as `uptime` (`DailyKey.kept(at:)`): with the second slot of a day.
    package var nextKeptDay: Duration {
        let day = Int64(DailyKey.keptDay(at: slot)) + 1
        let second = (day * Int64(DailyKey.slotsPerDay) + 1) * AdvertisementSealer.slotSeconds
        return uptime + .microseconds(max(0, second * 1_000_000 - unixMicroseconds))
    }

    /// The length of a slot.
    static let slotDuration = Duration.seconds(AdvertisementSealer.slotSeconds)
}
