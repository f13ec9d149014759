/// Suspended tasks in the order in which they arrived, each under a ticket by which it can be removed.
///
/// A queue is a part of the state that a mutex guards. A waiter is removed under that mutex and resumed after the
/// mutex was released. Resuming inside could deadlock: cancelling a task runs its cancellation handler under a lock of
/// the task, the handler takes the mutex to remove its waiter, and resuming the task takes that same lock of the task.
struct WaiterQueue<Answer: Sendable> {
    typealias Waiter = CheckedContinuation<Answer, Never>

    /// Identifies one wait.
    struct Ticket: Hashable, Sendable {
        fileprivate let number: UInt64
    }

    private var waiters: [(ticket: Ticket, waiter: Waiter)] = []
    private var lastTicket: UInt64 = 0

    /// Makes a ticket that no other wait in this queue has.
    mutating func makeTicket() -> Ticket {
        lastTicket += 1
        return Ticket(number: lastTicket)
    }

    /// Adds a waiter behind all others.
    mutating func append(_ waiter: Waiter, _ ticket: Ticket) {
        waiters.append((ticket, waiter))
    }

    /// Removes and returns the waiter that has waited longest; nil when the queue is empty.
    mutating func popFirst() -> Waiter? {
        waiters.isEmpty ? nil : waiters.removeFirst().waiter
    }

    /// Removes and returns the waiter with that ticket; nil when it was removed already or has not been added yet.
    mutating func remove(_ ticket: Ticket) -> Waiter? {
        waiters.firstIndex { $0.ticket == ticket }.map { waiters.remove(at: $0).waiter }
    }

    /// Removes and returns all waiters, in the order in which they arrived.
    mutating func removeAll() -> [Waiter] {
        defer { waiters = [] }
        return waiters.map(\.waiter)
    }
}
