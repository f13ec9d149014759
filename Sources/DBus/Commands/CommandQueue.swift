import CDBus
import DequeModule
import Glibc
import Synchronization

/// The queue of commands for a connection, which performs them in the order in which they were pushed.
final class CommandQueue: Sendable {
    private struct State {
        var commands: Deque<Command> = []
        /// Whether the connection has no turn before something wakes up the loop.
        var isSleeping = false
        var isClosed = false
    }

    private let state = Mutex(State())
    private let lastCall = Atomic<UInt64>(0)

    /// An eventfd that becomes readable when the loop has to wake up for the connection.
    let wakeDescriptor: Int32

    /// - Throws: `DBusError.Code.limit` if the process has no file descriptor left.
    init() throws(DBusError) {
        wakeDescriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard wakeDescriptor >= 0 else {
            throw DBusError(.limit, "no file descriptor is left for a connection: raise the limit on open files")
        }
    }

    deinit {
        Glibc.close(wakeDescriptor)
    }

    /// Returns an identifier that no other call of this connection has.
    func nextCall() -> CallID {
        CallID(number: lastCall.add(1, ordering: .relaxed).newValue)
    }

    /// Adds a command; never blocks.
    ///
    /// If the connection has ended, calls fail at once and other commands are dropped.
    ///
    /// - Parameter wakes: whether it is to be performed at once, and not only when the connection has its next turn.
    func push(_ command: Command, wakes: Bool = true) {
        enum Next { case nothing, wake, refuse }
        let next = state.withLock { state -> Next in
            if state.isClosed { return .refuse }
            state.commands.append(command)
            guard wakes, state.isSleeping else { return .nothing }
            state.isSleeping = false
            return .wake
        }
        switch next {
        case .nothing: break
        case .wake: wake()
        case .refuse: Self.refuse(command, .disconnected)
        }
    }

    /// Lets the connection have a turn.
    func wake() { eventfd_write(wakeDescriptor, 1) }

    // MARK: On the thread of the loop

    /// Removes and returns the oldest command.
    func pop() -> Command? {
        state.withLock { $0.commands.popFirst() }
    }

    /// Notes that the connection has no turn before the next command, which wakes it; returns false if one is queued already.
    func prepareToSleep() -> Bool {
        state.withLock { state in
            state.isSleeping = state.commands.isEmpty
            return state.isSleeping
        }
    }

    /// Notes that the connection has a turn, so that no command has to wake it.
    func endSleep() { state.withLock { $0.isSleeping = false } }

    /// Resets the wake-up.
    func clearWake() {
        var count: eventfd_t = 0
        eventfd_read(wakeDescriptor, &count)
    }

    /// Closes the queue, and fails the queued calls with `error`.
    func close(_ error: DBusError) {
        let left = state.withLock { state in
            state.isClosed = true
            defer { state.commands = [] }
            return state.commands
        }
        for command in left { Self.refuse(command, error) }
    }

    private static func refuse(_ command: Command, _ error: DBusError) {
        if case .call(_, let call) = command { call.complete(.failure(error)) }
    }
}
