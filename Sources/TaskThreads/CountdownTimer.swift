import CLinux
import Glibc

/// A timer of the kernel that is started for a while, and is readable when it has run out (timerfd_create(2)).
struct CountdownTimer: Sendable {
    /// The descriptor, which is never closed.
    let descriptor: CInt

    private var isRunning = false

    /// Makes a timer that does not run; nil when the system allows no more descriptors.
    init?() {
        descriptor = timerfd_create(CLOCK_MONOTONIC, CInt(TFD_CLOEXEC) | CInt(TFD_NONBLOCK))
        guard descriptor >= 0 else { return nil }
    }

    /// Starts the timer, unless it runs already, or has run out and was not stopped.
    mutating func start(_ time: Duration) {
        guard !isRunning else { return }
        isRunning = true
        set(time)
    }

    /// Stops the timer, which also makes it unreadable.
    mutating func stop() {
        guard isRunning else { return }
        isRunning = false
        set(.zero)
    }

    private func set(_ time: Duration) {
        let (seconds, attoseconds) = time.components
        var value = itimerspec()
        value.it_value = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        timerfd_settime(descriptor, 0, &value, nil)
    }
}
