private import CLinux
private import Glibc
private import Synchronization
import SystemPackage

/// Waits for any number of file descriptors on one thread, and resumes the tasks that wait for them.
///
/// A descriptor is armed only while a task waits for it (`EPOLLONESHOT`, epoll_ctl(2)), so a reactor without waiting
/// tasks never wakes up.
package final class Reactor: Sendable {
    private let epoll: Descriptor
    private let stopEvent: Descriptor
    private let table = Mutex(ReactorTable())

    /// Runs a reactor while `body` runs.
    ///
    /// The thread has ended when this returns. Tasks that still wait then, or wait later, get ``Wake/closed``.
    ///
    /// - Throws: `Errno` when no descriptor or thread is available; otherwise what `body` throws.
    package static func withReactor<Success>(_ body: (Reactor) async throws -> Success) async throws -> Success {
        let reactor = try Reactor()
        let thread = try BlockingThread(named: "events") { reactor.loop() }
        let result: Result<Success, any Error>
        do {
            result = .success(try await body(reactor))
        } catch {
            result = .failure(error)
        }
        reactor.stop()
        await thread.ended()
        return try result.get()
    }

    private init() throws(Errno) {
        epoll = try Descriptor { epoll_create1(CInt(EPOLL_CLOEXEC)) }
        stopEvent = try Descriptor { eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK)) }
        try control(EPOLL_CTL_ADD, stopEvent.rawValue, EPOLLIN.rawValue, .stop)
    }

    /// Registers a descriptor, for which no task waits yet.
    func register(_ descriptor: CInt) throws(Errno) -> ReactorTable.Token {
        let token = changeTable { $0.add(descriptor) }
        do {
            try control(EPOLL_CTL_ADD, descriptor, EPOLLONESHOT.rawValue, token)
        } catch {
            changeTable { $0.remove(token) }
            throw error
        }
        return token
    }

    /// Unregisters a descriptor before it is closed; tasks that wait for it get ``Wake/closed``.
    func unregister(_ token: ReactorTable.Token, _ descriptor: CInt) {
        try? control(EPOLL_CTL_DEL, descriptor, 0, token)
        changeTable { $0.remove(token) }
    }

    /// Waits until `descriptor` is ready; at most one task waits for each direction.
    ///
    /// A wake-up is a hint: repeat the system call, which may return `EAGAIN`.
    func wait(for direction: Direction, on token: ReactorTable.Token) async -> Wake {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                changeTable { table in
                    guard table.park(continuation, direction, token) else { return }
                    guard !Task.isCancelled else { return table.wake(direction, token, .cancelled) }
                    arm(token, in: &table)
                }
            }
        } onCancel: {
            changeTable { $0.wake(direction, token, .cancelled) }
        }
    }

    /// Changes the table and resumes the tasks that this has woken.
    ///
    /// Resuming takes a lock of the task, which its cancellation holds while the handler waits for the lock of the
    /// table; so tasks are resumed after the table's lock is released.
    private func changeTable<Result: Sendable>(_ change: (inout ReactorTable) -> Result) -> Result {
        let (result, woken) = table.withLock { table in (change(&table), table.takeWoken()) }
        for (waiter, reason) in woken { waiter.resume(returning: reason) }
        return result
    }

    private func arm(_ token: ReactorTable.Token, in table: inout ReactorTable) {
        guard let (descriptor, events) = table.interest(token), events != 0 else { return }
        do {
            try control(EPOLL_CTL_MOD, descriptor, events | EPOLLONESHOT.rawValue, token)
        } catch {
            table.wakeAll(token, .closed)
        }
    }

    private func control(
        _ operation: CInt,
        _ descriptor: CInt,
        _ events: UInt32,
        _ token: ReactorTable.Token
    ) throws(Errno) {
        var event = epoll_event(events: events, data: epoll_data(u64: token.rawValue))
        _ = try systemCall { epoll_ctl(epoll.rawValue, operation, descriptor, &event) }
    }

    private func stop() {
        // eventfd(2): the counter is never read, so adding 1 can fail only if it is nonzero already, which means
        // "stop".
        _ = eventfd_write(stopEvent.rawValue, 1)
    }

    private func loop() {
        var events = [epoll_event](repeating: epoll_event(), count: 64)
        defer { changeTable { $0.end() } }
        while true {
            let wait = { epoll_wait(self.epoll.rawValue, &events, CInt(events.count), -1) }
            guard let count = try? systemCall(wait) else { return }
            for event in events.prefix(Int(count)) {
                let token = ReactorTable.Token(rawValue: event.data.u64)
                guard token != .stop else { return }
                changeTable { table in
                    table.deliver(event.events, token)
                    arm(token, in: &table)
                }
            }
        }
    }
}

extension Reactor {
    /// The readiness for which a task waits.
    package enum Direction: Sendable {
        case reading
        case writing
        /// A file of the kernel has changed that tells its changes so, such as the name of the host (proc_sys_poll).
        case priority
    }

    /// The reason why a waiting task was resumed.
    package enum Wake: Sendable {
        /// The descriptor may be ready.
        case ready
        /// The task was cancelled.
        case cancelled
        /// The descriptor was closed, or the reactor has ended.
        case closed
    }
}
