import HandoffCore

extension Moment {
    /// An instant of a test: so many milliseconds after its start, which lies at the beginning of a slot.
    static func at(milliseconds: Int64) -> Moment {
        Moment(uptime: .milliseconds(milliseconds), unixMicroseconds: slotStart + milliseconds * 1000)
    }

    /// An instant of a test: so many seconds after its start.
    static func at(_ seconds: Double) -> Moment {
        at(milliseconds: Int64((seconds * 1000).rounded()))
    }

    /// The same instant on the wall clock of ``at(_:)``, by its uptime.
    static func at(uptime: Duration) -> Moment {
        let (seconds, attoseconds) = uptime.components
        return Moment(
            uptime: uptime,
            unixMicroseconds: slotStart + seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        )
    }

    /// The beginning of some slot: a multiple of 15 minutes.
    static let slotStart: Int64 = 1_900_000 * 900 * 1_000_000
}

extension Duration {
    /// Seconds with a fraction, for tables of tests.
    static func seconds(fraction seconds: Double) -> Duration {
        .milliseconds(Int64((seconds * 1000).rounded()))
    }
}
