import CLinux
import Glibc

/// Where threads wait for what wakes them: each event wakes one of them (epoll(7), edge-triggered).
struct WakeUps: Sendable {
    private let epoll: CInt
    /// The descriptor by which ``post()`` wakes a thread (eventfd(2)).
    private let event: CInt

    /// Makes a place without other descriptors; nil when the system allows no more of them.
    init?() {
        epoll = epoll_create1(CInt(EPOLL_CLOEXEC))
        event = eventfd(0, CInt(EFD_CLOEXEC) | CInt(EFD_NONBLOCK))
        guard epoll >= 0, event >= 0, add(event) else { return nil }
    }

    /// Wakes up a thread whenever `descriptor` becomes readable from now on.
    ///
    /// - Returns: false when the system has no memory for it.
    func add(_ descriptor: CInt) -> Bool {
        let events = EPOLLIN.rawValue | EPOLLET.rawValue
        var interest = epoll_event(events: events, data: epoll_data(fd: descriptor))
        return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &interest) == 0
    }

    /// Wakes up a thread, or the next one that would wait; to be called again only after that.
    func post() {
        eventfd_write(event, 1)
    }

    /// Blocks the thread until something wakes it up.
    ///
    /// - Returns: the descriptor that is readable; nil when ``post()`` was called.
    func wait() -> CInt? {
        var found = epoll_event()
        while epoll_wait(epoll, &found, 1, -1) != 1 {}
        guard found.data.fd == event else { return found.data.fd }
        var count: eventfd_t = 0
        eventfd_read(event, &count)
        return nil
    }
}
