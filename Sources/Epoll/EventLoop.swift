private import CLinux
private import Glibc
private import Synchronization
package import SystemPackage

/// Waits for all descriptors of a process on one thread: those of sockets, timers, signals and inotify, and the connections
/// to message buses.
///
/// The thread exists while somebody holds the loop.
package final class EventLoop: Sendable {
    /// What is called on the thread of the loop, with the events of epoll_ctl(2) that have occurred; with none, if the
    /// deadline has passed.
    ///
    /// It must be quick and must not block: everything else waits for it. It may be called once more while another thread
    /// removes it.
    package typealias Handler = @Sendable (_ events: UInt32) -> Void

    private struct Current {
        weak var loop: EventLoop?
    }

    private static let current = Mutex(Current())

    private let core: EventLoopCore

    /// Returns the loop of this process, which is made anew when nobody has held it.
    ///
    /// - Throws: the error of epoll_create1(2), eventfd(2) or pthread_create(3).
    package static func shared() throws(Errno) -> EventLoop {
        try current.withLock { (current: inout Current) throws(Errno) -> EventLoop in
            if let loop = current.loop { return loop }
            let loop = try EventLoop()
            current.loop = loop
            return loop
        }
    }

    /// Makes a loop with a thread of its own, for a handler that blocks: tests have some, programs none.
    ///
    /// - Throws: the error of epoll_create1(2), eventfd(2) or pthread_create(3).
    package init() throws(Errno) {
        let core = try EventLoopCore()
        _ = try BlockingThread(named: "events") { core.run() }
        self.core = core
    }

    deinit {
        core.stop()
    }

    /// Calls `handler` whenever one of the events has occurred.
    ///
    /// - Parameters:
    ///   - descriptor: stays open until it is removed.
    ///   - events: of epoll_ctl(2), which are reported as long as they last, unless `EPOLLONESHOT` is one of them.
    /// - Throws: the error of epoll_ctl(2).
    package func add(_ descriptor: CInt, _ events: UInt32, _ handler: @escaping Handler) throws(Errno) -> Token {
        let token = core.table.withLock { $0.add(handler) }
        do {
            try core.control(EPOLL_CTL_ADD, descriptor, events, token)
        } catch {
            _ = core.table.withLock { $0.remove(token) }
            throw error
        }
        return token
    }

    /// Changes the events of a descriptor that was added.
    ///
    /// - Throws: the error of epoll_ctl(2).
    package func change(_ token: Token, _ descriptor: CInt, to events: UInt32) throws(Errno) {
        try core.control(EPOLL_CTL_MOD, descriptor, events, token)
    }

    /// Removes a descriptor, before it is closed.
    package func remove(_ token: Token, _ descriptor: CInt) {
        try? core.control(EPOLL_CTL_DEL, descriptor, 0, token)
        // Released outside of the lock, since that may remove others.
        _ = core.table.withLock { $0.remove(token) }
    }

    /// Calls the handler of `token` when a time has come, whatever happens to its descriptor; nil takes that back.
    ///
    /// To be called by this handler.
    package func setDeadline(_ time: ContinuousClock.Instant?, of token: Token) {
        core.table.withLock { $0.setDeadline(time, of: token) }
    }
}

extension EventLoop {
    /// Stands for a descriptor that was added; never used again, unlike the numbers of descriptors.
    package struct Token: Hashable, Sendable {
        let rawValue: UInt64
    }
}

/// What the loop and its thread share.
private final class EventLoopCore: Sendable {
    /// The most events of one system call; others are reported by the next one.
    private static let maximumEvents = 64
    /// The token of the event that ends the thread.
    private static let end = EventLoop.Token(rawValue: 0)

    let table = Mutex(EventLoopTable())
    private let epoll: Descriptor
    private let stopEvent: Descriptor

    init() throws(Errno) {
        epoll = try Descriptor { epoll_create1(CInt(EPOLL_CLOEXEC)) }
        stopEvent = try Descriptor { eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK)) }
        try control(EPOLL_CTL_ADD, stopEvent.rawValue, EPOLLIN.rawValue, Self.end)
    }

    func control(
        _ operation: CInt,
        _ descriptor: CInt,
        _ events: UInt32,
        _ token: EventLoop.Token
    ) throws(Errno) {
        var event = epoll_event(events: events, data: epoll_data(u64: token.rawValue))
        _ = try systemCall { epoll_ctl(epoll.rawValue, operation, descriptor, &event) }
    }

    func stop() {
        // eventfd(2): the counter is never read, so adding 1 can fail only if it is nonzero already, which means
        // "stop".
        _ = eventfd_write(stopEvent.rawValue, 1)
    }

    func run() {
        var events = [epoll_event](repeating: epoll_event(), count: Self.maximumEvents)
        while true {
            let timeout = table.withLock { $0.timeout(at: .now) }
            let wait = { epoll_wait(self.epoll.rawValue, &events, CInt(events.count), timeout) }
            guard let count = try? systemCall(wait) else { return }
            for event in events.prefix(Int(count)) {
                let token = EventLoop.Token(rawValue: event.data.u64)
                guard token != Self.end else { return }
                if let handler = table.withLock({ $0.handler(of: token) }) { handler(event.events) }
            }
            for handler in table.withLock({ $0.takeDue(at: .now) }) { handler(0) }
        }
    }
}

/// The handlers of a loop, and their deadlines.
private struct EventLoopTable {
    private var handlers: [EventLoop.Token: EventLoop.Handler] = [:]
    private var deadlines: [EventLoop.Token: ContinuousClock.Instant] = [:]
    private var last: UInt64 = 0

    mutating func add(_ handler: @escaping EventLoop.Handler) -> EventLoop.Token {
        last += 1
        handlers[EventLoop.Token(rawValue: last)] = handler
        return EventLoop.Token(rawValue: last)
    }

    func handler(of token: EventLoop.Token) -> EventLoop.Handler? { handlers[token] }

    mutating func remove(_ token: EventLoop.Token) -> EventLoop.Handler? {
        deadlines[token] = nil
        return handlers.removeValue(forKey: token)
    }

    mutating func setDeadline(_ time: ContinuousClock.Instant?, of token: EventLoop.Token) {
        if handlers[token] != nil { deadlines[token] = time }
    }

    /// Removes the deadlines that have passed, and returns their handlers.
    mutating func takeDue(at now: ContinuousClock.Instant) -> [EventLoop.Handler] {
        guard !deadlines.isEmpty else { return [] }
        let due = deadlines.filter { $0.value <= now }.keys.sorted { $0.rawValue < $1.rawValue }
        for token in due { deadlines[token] = nil }
        return due.compactMap { handlers[$0] }
    }

    /// The time to the first deadline in milliseconds, rounded up; -1 if there is none.
    func timeout(at now: ContinuousClock.Instant) -> CInt {
        guard let first = deadlines.values.min() else { return -1 }
        let (seconds, attoseconds) = max(.zero, first - now).components
        guard seconds < 1_000_000 else { return 1_000_000_000 }
        return CInt(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
