/// An instant, by the two clocks that the machines need.
///
/// The core never asks for the time; whoever feeds it an event says when.
package struct Moment: Hashable, Sendable {
    /// Time since an arbitrary start, never jumping and going on while the machine sleeps (`CLOCK_BOOTTIME`).
    package let uptime: Duration

    /// Microseconds since 1970-01-01 00:00 UTC, by a clock that people and time servers may set.
    package let unixMicroseconds: Int64

    package init(uptime: Duration, unixMicroseconds: Int64) {
        self.uptime = uptime
        self.unixMicroseconds = unixMicroseconds
    }

    /// The advertising slot of this instant: advertisements are sealed under a key of their slot.
    ///
    /// A clock set before 1970 counts as slot 0.
    package var slot: UInt64 {
        UInt64(max(0, unixMicroseconds)) / Self.slotMicroseconds
    }

    /// How long until the next slot begins, more than zero.
    package var timeToNextSlot: Duration {
        let into = UInt64(max(0, unixMicroseconds)) % Self.slotMicroseconds
        return .microseconds(Int64(Self.slotMicroseconds - into))
    }

    /// The instant `duration` later.
    package func advanced(by duration: Duration) -> Moment {
        let (seconds, attoseconds) = duration.components
        return Moment(
            uptime: uptime + duration,
            unixMicroseconds: unixMicroseconds + seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        )
    }

    /// How long a slot is.
    static let slotDuration = Duration.microseconds(Int64(slotMicroseconds))

    /// 15 minutes, as long as a resolvable private address lives in Linux (`HCI_DEFAULT_RPA_TIMEOUT`, `hci_core.h`).
    private static let slotMicroseconds: UInt64 = 15 * 60 * 1_000_000
}
