import CLinux
import Epoll
import Synchronization
import SystemPackage

/// A connection in a loop: it has a turn whenever libdbus can read or write, a command was pushed, or a
/// time limit has passed.
final class ConnectionSource: Sendable {
    /// The descriptors in the loop.
    private struct Registrations {
        let socket: EventLoop.Token
        let wake: EventLoop.Token
    }

    private struct State {
        /// Nil after the end.
        var dispatcher: ConnectionDispatcher?
        /// Nil until it is in the loop.
        var registrations: Registrations?
        /// The events of the socket for which the loop waits.
        var interest: UInt32 = 0
    }

    private let loop: EventLoop
    private let context: ConnectionContext
    private let end: @Sendable (DBusError?) -> Void
    /// Used on the thread of the loop only, but for ``add(_:of:then:)``.
    private let state: Mutex<State>

    /// Adds a new connection to a loop.
    ///
    /// - Parameters:
    ///   - loop: that of the process if nil.
    ///   - end: called when the connection is closed, with the reason why it was lost, or nil if it was stopped.
    /// - Throws: `DBusError` with the code `.limit`; then `end` is not called.
    static func add(
        _ dispatcher: sending ConnectionDispatcher,
        of context: ConnectionContext,
        in loop: EventLoop?,
        then end: @escaping @Sendable (DBusError?) -> Void
    ) throws(DBusError) {
        do {
            let source = ConnectionSource(dispatcher, context, try loop ?? .shared(), end)
            try source.register()
        } catch {
            throw DBusError(.limit, "a connection cannot be waited for (\(error)): raise the limit on open files")
        }
    }

    private init(
        _ dispatcher: sending ConnectionDispatcher,
        _ context: ConnectionContext,
        _ loop: EventLoop,
        _ end: @escaping @Sendable (DBusError?) -> Void
    ) {
        (self.context, self.loop, self.end) = (context, loop, end)
        state = Mutex(State(dispatcher: dispatcher))
    }

    private func register() throws(Errno) {
        // The loop may call at once: its first turn waits until both are known.
        try state.withLock { (state: inout State) throws(Errno) in
            guard let number = state.dispatcher?.socket else { return }
            let socket = try loop.add(number, 0) { [self] in turn($0, isWoken: false) }
            do throws(Errno) {
                let wake = try loop.add(context.queue.wakeDescriptor, EPOLLIN.rawValue) { [self] _ in
                    turn(0, isWoken: true)
                }
                state.registrations = Registrations(socket: socket, wake: wake)
            } catch {
                loop.remove(socket, number)
                throw error
            }
        }
        context.queue.wake()
    }

    /// Lets the connection work; on the thread of the loop.
    ///
    /// - Parameters:
    ///   - events: those of epoll_ctl(2) of the socket.
    ///   - isWoken: whether a command was pushed.
    private func turn(_ events: UInt32, isWoken: Bool) {
        let ended = state.withLock { state -> Optional<DBusError?> in
            guard let dispatcher = state.dispatcher, let registrations = state.registrations else { return nil }
            switch dispatcher.turn(events, isWoken: isWoken) {
            case .again: loop.setDeadline(.now, of: registrations.socket)
            case .wait(let time): loop.setDeadline(time, of: registrations.socket)
            case .end(let loss):
                loop.remove(registrations.socket, dispatcher.socket)
                loop.remove(registrations.wake, context.queue.wakeDescriptor)
                state.dispatcher = nil
                return .some(loss)
            }
            let interest = dispatcher.interest
            if interest != state.interest {
                // The descriptor is open and in the loop, so this cannot fail but for a lack of memory.
                try? loop.change(registrations.socket, dispatcher.socket, to: interest)
                state.interest = interest
            }
            return nil
        }
        if let ended { end(ended) }
    }
}
