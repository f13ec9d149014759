import HandoffCore

extension Moment {
    /// An instant of a test, `seconds` after its start, which lies at the beginning of a slot, with an uptime of 0.
    static func start(_ seconds: Double) -> Moment {
        at(uptime: .milliseconds(Int64((seconds * 1000).rounded())))
    }

    /// The same instant by its uptime.
    static func at(uptime: Duration) -> Moment {
        Moment(uptime: .zero, unixMicroseconds: slotStart).advanced(by: uptime)
    }

    /// The beginning of some slot: a multiple of 15 minutes.
    static let slotStart: Int64 = 1_900_000 * 900 * 1_000_000
}
