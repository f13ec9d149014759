private import CLinux
private import Glibc
package import SystemPackage

/// Waits for instants and for changes of the wall clock, without periodic wake-ups and across suspend.
///
/// On libdispatch, `Task.sleep` wakes the process about once a second while a long sleep is pending, and a sleep that was
/// cancelled still wakes it at its time; a timer of the kernel does neither.
package struct AlarmClock: Sendable {
    private let reactor: Reactor

    package init(reactor: Reactor) {
        self.reactor = reactor
    }

    /// Waits until `CLOCK_BOOTTIME`, which continues during suspend, reaches `uptime`; returns at once for a past
    /// instant.
    ///
    /// - Throws: `ECANCELED` when the task is cancelled, `EBADF` when the reactor has ended.
    package func sleep(until uptime: Duration) async throws(Errno) {
        try await sleep(uptime, CInt(TFD_TIMER_ABSTIME))
    }

    /// Waits until `instant`, or throws when the task is cancelled.
    ///
    /// Where the system has no descriptor for a timer, it waits as `Task.sleep` does.
    package func sleep(until instant: ContinuousClock.Instant) async throws(CancellationError) {
        do throws(Errno) {
            // That clock is CLOCK_BOOTTIME, too.
            try await sleep(instant - .now, 0)
        } catch {
            guard error != .canceled, (try? await ContinuousClock().sleep(until: instant)) != nil else {
                throw CancellationError()
            }
        }
    }

    /// Waits for a time of the clock, or for that long, as the flags of timerfd_settime(2) say.
    private func sleep(_ duration: Duration, _ flags: CInt) async throws(Errno) {
        // A time of zero would stop the timer.
        var time = itimerspec()
        time.it_value = timespec(max(duration, .nanoseconds(1)))
        let timer = try timer(CLOCK_BOOTTIME, flags, time)
        defer { timer.close() }
        try await Self.expiration(of: timer)
    }

    /// Waits until the wall clock is set, by a time server or a user.
    ///
    /// - Throws: `ECANCELED` when the task is cancelled, `EBADF` when the reactor has ended.
    package func wallClockChange() async throws(Errno) {
        var time = itimerspec()
        // The year 2242: only the change matters, not the instant, which the kernel stores as nanoseconds in 63 bits.
        time.it_value.tv_sec = 1 << 33
        let flags = CInt(TFD_TIMER_ABSTIME) | handoff_timer_cancel_on_set
        let timer = try timer(CLOCK_REALTIME, flags, time)
        defer { timer.close() }
        do throws(Errno) {
            try await Self.expiration(of: timer)
        } catch .canceled where !Task.isCancelled {
            // timerfd_create(2): read fails with ECANCELED after a discontinuous change of the clock.
            return
        }
    }

    private func timer(_ clock: clockid_t, _ flags: CInt, _ time: itimerspec) throws(Errno) -> ReactorDescriptor {
        let descriptor = try Descriptor { timerfd_create(clock, CInt(TFD_CLOEXEC) | CInt(TFD_NONBLOCK)) }
        var time = time
        let number = descriptor.rawValue
        _ = try systemCall { timerfd_settime(number, flags, &time, nil) }
        return try ReactorDescriptor(descriptor, on: reactor)
    }

    private static func expiration(of timer: ReactorDescriptor) async throws(Errno) {
        _ = try await timer.whenReady(for: .reading) { (number: CInt) throws(Errno) -> Int in
            var expirations: UInt64 = 0
            return try systemCall { read(number, &expirations, MemoryLayout<UInt64>.size) }
        }
    }
}
