private import CLinux
private import Glibc
package import SystemPackage

/// Waits for changes of the wall clock, without periodic wake-ups and across suspend.
package struct WallClock: Sendable {
    private let reactor: Reactor

    package init(reactor: Reactor) {
        self.reactor = reactor
    }

    /// Waits until the wall clock is set, by a time server or a user.
    ///
    /// - Throws: `ECANCELED` when the task is cancelled, `EBADF` when the reactor has ended, `EMFILE` or `ENFILE` when there
    ///   are no more descriptors.
    package func change() async throws(Errno) {
        var time = itimerspec()
        // The year 2242: only the change matters, not the instant, which the kernel stores as nanoseconds in 63 bits.
        time.it_value.tv_sec = 1 << 33
        let timer = try timer(CInt(TFD_TIMER_ABSTIME) | handoff_timer_cancel_on_set, time)
        defer { timer.close() }
        do throws(Errno) {
            _ = try await timer.whenReady(for: .reading) { (number: CInt) throws(Errno) -> Int in
                var expirations: UInt64 = 0
                return try systemCall { read(number, &expirations, MemoryLayout<UInt64>.size) }
            }
        } catch .canceled where !Task.isCancelled {
            // timerfd_create(2): read fails with ECANCELED after a discontinuous change of the clock.
            return
        }
    }

    private func timer(_ flags: CInt, _ time: itimerspec) throws(Errno) -> ReactorDescriptor {
        let descriptor = try Descriptor { timerfd_create(CLOCK_REALTIME, CInt(TFD_CLOEXEC) | CInt(TFD_NONBLOCK)) }
        var time = time
        let number = descriptor.rawValue
        _ = try systemCall { timerfd_settime(number, flags, &time, nil) }
        return try ReactorDescriptor(descriptor, on: reactor)
    }
}
