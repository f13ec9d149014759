private import CLinux

/// The registered descriptors and their waiting tasks: the state of a ``Reactor``, protected by its lock.
struct ReactorTable {
    /// The identifier of a registration; never reused, unlike descriptor numbers.
    struct Token: Hashable, Sendable {
        fileprivate let rawValue: UInt64
    }

    typealias Waiter = CheckedContinuation<Reactor.Wake, Never>

    private struct Registration {
        let descriptor: CInt
        /// What stands for it in the loop; nil until it was added there.
        var source: EventLoop.Token?
        var reader: Waiter?
        var writer: Waiter?
        var observer: Waiter?
    }

    private var registrations: [Token: Registration] = [:]
    private var lastToken: UInt64 = 0
    private var hasEnded = false
    private var woken: [(waiter: Waiter, reason: Reactor.Wake)] = []

    /// Returns the waiters woken since the last call, for the reactor to resume after releasing its lock.
    mutating func takeWoken() -> [(waiter: Waiter, reason: Reactor.Wake)] {
        defer { woken = [] }
        return woken
    }

    mutating func add(_ descriptor: CInt) -> Token {
        lastToken += 1
        let token = Token(rawValue: lastToken)
        registrations[token] = Registration(descriptor: descriptor)
        return token
    }

    mutating func setSource(_ source: EventLoop.Token, of token: Token) {
        registrations[token]?.source = source
    }

    /// Removes a registration and wakes its waiters; returns what stands for it in the loop.
    mutating func remove(_ token: Token) -> EventLoop.Token? {
        wakeAll(token, .closed)
        return registrations.removeValue(forKey: token)?.source
    }

    /// Stores a waiter; if the registration is closed or the reactor has ended, wakes the waiter and returns false.
    mutating func park(_ waiter: Waiter, _ direction: Reactor.Direction, _ token: Token) -> Bool {
        guard !hasEnded, var registration = registrations[token] else {
            woken.append((waiter, .closed))
            return false
        }
        switch direction {
        case .reading:
            precondition(registration.reader == nil, "Two tasks wait to read one descriptor.")
            registration.reader = waiter
        case .writing:
            precondition(registration.writer == nil, "Two tasks wait to write one descriptor.")
            registration.writer = waiter
        case .priority:
            precondition(registration.observer == nil, "Two tasks wait for the changes of one descriptor.")
            registration.observer = waiter
        }
        registrations[token] = registration
        return true
    }

    /// Wakes the waiter for `direction`, if there is one.
    mutating func wake(_ direction: Reactor.Direction, _ token: Token, _ reason: Reactor.Wake) {
        let waiter =
            switch direction {
            case .reading: registrations[token]?.reader.take()
            case .writing: registrations[token]?.writer.take()
            case .priority: registrations[token]?.observer.take()
            }
        if let waiter { woken.append((waiter, reason)) }
    }

    /// Wakes all waiters of a registration.
    mutating func wakeAll(_ token: Token, _ reason: Reactor.Wake) {
        for direction in [Reactor.Direction.reading, .writing, .priority] { wake(direction, token, reason) }
    }

    /// Wakes the waiters for `events`; an error or a hang-up wakes all (epoll_ctl(2)).
    mutating func deliver(_ events: UInt32, _ token: Token) {
        let failure = EPOLLERR.rawValue | EPOLLHUP.rawValue
        if events & (EPOLLIN.rawValue | EPOLLRDHUP.rawValue | failure) != 0 { wake(.reading, token, .ready) }
        if events & (EPOLLOUT.rawValue | failure) != 0 { wake(.writing, token, .ready) }
        if events & (EPOLLPRI.rawValue | failure) != 0 { wake(.priority, token, .ready) }
    }

    /// Returns what stands for the descriptor in the loop, the descriptor, and the epoll events for which its waiters wait.
    func interest(_ token: Token) -> (source: EventLoop.Token, descriptor: CInt, events: UInt32)? {
        guard let registration = registrations[token], let source = registration.source else { return nil }
        let reading = registration.reader == nil ? 0 : EPOLLIN.rawValue | EPOLLRDHUP.rawValue
        let writing = registration.writer == nil ? 0 : EPOLLOUT.rawValue
        let priority = registration.observer == nil ? 0 : EPOLLPRI.rawValue
        return (source, registration.descriptor, reading | writing | priority)
    }

    /// Wakes every waiter with `closed`, and every later one at once.
    mutating func end() {
        hasEnded = true
        for token in registrations.keys { wakeAll(token, .closed) }
    }
}
