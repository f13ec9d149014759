private import CLinux
private import Synchronization
import SystemPackage

/// Resumes tasks that wait for file descriptors, for which the loop of the process waits.
///
/// A descriptor is armed only while a task waits for it (`EPOLLONESHOT`, epoll_ctl(2)), so a reactor without waiting
/// tasks wakes up nobody.
package final class Reactor: Sendable {
    private let loop: EventLoop
    private let table = Mutex(ReactorTable())

    /// Runs a reactor while `body` runs.
    ///
    /// Tasks that still wait then, or wait later, get ``Wake/closed``.
    ///
    /// - Throws: `Errno` when no descriptor or thread is available; otherwise what `body` throws.
    package static func withReactor<Success>(_ body: (Reactor) async throws -> Success) async throws -> Success {
        let reactor = Reactor(try EventLoop.shared())
        defer { reactor.changeTable { $0.end() } }
        return try await body(reactor)
    }

    private init(_ loop: EventLoop) {
        self.loop = loop
    }

    /// Registers a descriptor, for which no task waits yet.
    ///
    /// - Throws: the error of epoll_ctl(2).
    func register(_ descriptor: CInt) throws(Errno) -> ReactorTable.Token {
        let token = changeTable { $0.add(descriptor) }
        do {
            let source = try loop.add(descriptor, EPOLLONESHOT.rawValue) { [self] in deliver($0, token) }
            changeTable { $0.setSource(source, of: token) }
        } catch {
            changeTable { _ = $0.remove(token) }
            throw error
        }
        return token
    }

    /// Unregisters a descriptor before it is closed; tasks that wait for it get ``Wake/closed``.
    func unregister(_ token: ReactorTable.Token, _ descriptor: CInt) {
        guard let source = changeTable({ $0.remove(token) }) else { return }
        loop.remove(source, descriptor)
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
        guard let (source, descriptor, events) = table.interest(token), events != 0 else { return }
        do {
            try loop.change(source, descriptor, to: events | EPOLLONESHOT.rawValue)
        } catch {
            table.wakeAll(token, .closed)
        }
    }

    /// Resumes the tasks that wait for one of these events; on the thread of the loop.
    private func deliver(_ events: UInt32, _ token: ReactorTable.Token) {
        changeTable { table in
            table.deliver(events, token)
            arm(token, in: &table)
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
