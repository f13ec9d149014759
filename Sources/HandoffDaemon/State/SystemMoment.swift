import Glibc
package import HandoffCore

extension Moment {
    /// The present moment, by the system's clocks.
    package static var now: Moment {
        let uptime = time(of: CLOCK_BOOTTIME)
        let wall = time(of: CLOCK_REALTIME)
        return Moment(
            uptime: .seconds(uptime.tv_sec) + .nanoseconds(uptime.tv_nsec),
            unixMicroseconds: Int64(wall.tv_sec) * 1_000_000 + Int64(wall.tv_nsec) / 1000
        )
    }

    private static func time(of clock: clockid_t) -> timespec {
        var time = timespec()
        let result = clock_gettime(clock, &time)
        precondition(result == 0, "Linux has had both clocks since 2.6.39")
        return time
    }
}
