import CLinux
import Epoll
import Glibc

/// A timer of the kernel, whose descriptor is readable when it has run out (timerfd_create(2)).
struct KernelTimer: Sendable {
    /// The descriptor, which is never closed.
    let descriptor: CInt

    /// Makes a timer that does not run; nil when the system allows no more descriptors.
    init?(_ clock: clockid_t) {
        descriptor = timerfd_create(clock, CInt(TFD_CLOEXEC) | CInt(TFD_NONBLOCK))
        guard descriptor >= 0 else { return nil }
    }

    /// Lets the timer run out after some time, which also makes it unreadable until then; zero stops it.
    func set(after time: Duration) { set(time, 0) }

    /// Lets the timer run out at a time of its clock, which also makes it unreadable until then; zero stops it.
    func set(at time: Duration) { set(time, CInt(TFD_TIMER_ABSTIME)) }

    private func set(_ time: Duration, _ flags: CInt) {
        var value = itimerspec()
        value.it_value = timespec(time)
        timerfd_settime(descriptor, flags, &value, nil)
    }
}
