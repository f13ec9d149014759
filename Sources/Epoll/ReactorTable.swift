private import CLinux

/// Who waits for which descriptor: the state of a ``Reactor``, under its lock.
struct ReactorTable {
    /// The name of a registration; never used twice, as numbers of descriptors are.
    struct Token: Hashable, Sendable {
        let rawValue: UInt64

        /// Not a registration but the order to end.
        static let stop = Token(rawValue: 0)
    }

    typealias Waiter = CheckedContinuation<Reactor.Wake, Never>

    private struct Registration {
        let descriptor: CInt
        var reader: Waiter?
        var writer: Waiter?
    }

    private var registrations: [Token: Registration] = [:]
    private var lastToken = Token.stop.rawValue
    private var hasEnded = false
    private var woken: [(waiter: Waiter, reason: Reactor.Wake)] = []

    /// Who was woken since the last call, for the reactor to resume without its lock.
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

    /// Drops a registration and tells its waiters.
    mutating func remove(_ token: Token) {
        wake(.reading, token, .closed)
        wake(.writing, token, .closed)
        registrations[token] = nil
    }

    /// Keeps a waiter; false, and the waiter is told, when there is nothing to wait for any more.
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
            }
        if let waiter { woken.append((waiter, reason)) }
    }

    /// Wakes who waited for one of `events`; an error or a hang-up concerns everybody (epoll_ctl(2)).
    mutating func deliver(_ events: UInt32, _ token: Token) {
        let failure = EPOLLERR.rawValue | EPOLLHUP.rawValue
        if events & (EPOLLIN.rawValue | EPOLLRDHUP.rawValue | failure) != 0 { wake(.reading, token, .ready) }
        if events & (EPOLLOUT.rawValue | failure) != 0 { wake(.writing, token, .ready) }
    }

    /// The descriptor and the epoll events that its waiters wait for.
    func interest(_ token: Token) -> (descriptor: CInt, events: UInt32)? {
        guard let registration = registrations[token] else { return nil }
        let reading = registration.reader == nil ? 0 : EPOLLIN.rawValue | EPOLLRDHUP.rawValue
        let writing = registration.writer == nil ? 0 : EPOLLOUT.rawValue
        return (registration.descriptor, reading | writing)
    }

    /// Tells every waiter that it is over, and everybody who comes later.
    mutating func end() {
        hasEnded = true
        for token in registrations.keys {
            wake(.reading, token, .closed)
            wake(.writing, token, .closed)
        }
    }
}
