private import Synchronization
package import SystemPackage

/// A nonblocking descriptor for which tasks wait on a ``Reactor``.
///
/// At most one task reads and one writes at a time. ``close()`` may be called by any task at any time: it ends the
/// waits, and no system call is ever made on a descriptor number that has been reused.
package final class ReactorDescriptor: Sendable {
    private let reactor: Reactor
    private let token: ReactorTable.Token
    private let descriptor: Mutex<Descriptor?>

    /// Takes ownership of a descriptor in nonblocking mode.
    ///
    /// - Throws: the error of epoll_ctl(2).
    package init(_ descriptor: consuming Descriptor, on reactor: Reactor) throws(Errno) {
        self.reactor = reactor
        token = try reactor.register(descriptor.rawValue)
        self.descriptor = Mutex(descriptor)
    }

    deinit {
        close()
    }

    /// Runs a system call that does not block.
    ///
    /// - Throws: `EBADF` after ``close()``; otherwise what `call` throws.
    package func perform<Result>(_ call: (CInt) throws(Errno) -> Result) throws(Errno) -> Result {
        try descriptor.withLock { (descriptor: inout Descriptor?) throws(Errno) -> Result in
            switch descriptor {
            case .some(let descriptor): return try call(descriptor.rawValue)
            case .none: throw .badFileDescriptor
            }
        }
    }

    /// Runs a system call, and again each time the descriptor is ready, until the result is not `EAGAIN`.
    ///
    /// - Throws: `ECANCELED` when the task is cancelled, `EBADF` when the descriptor is closed or the reactor has
    ///   ended; otherwise what `call` throws.
    package func whenReady<Result>(
        for direction: Reactor.Direction,
        _ call: (CInt) throws(Errno) -> Result
    ) async throws(Errno) -> Result {
        while true {
            do throws(Errno) {
                return try perform(call)
            } catch .wouldBlock {
                try await ready(for: direction)
            }
        }
    }

    /// Waits until the descriptor may be ready.
    ///
    /// - Throws: `ECANCELED` when the task is cancelled, `EBADF` when the descriptor is closed or the reactor has
    ///   ended.
    package func ready(for direction: Reactor.Direction) async throws(Errno) {
        switch await reactor.wait(for: direction, on: token) {
        case .ready: return
        case .cancelled: throw .canceled
        case .closed: throw .badFileDescriptor
        }
    }

    /// Closes the descriptor and wakes the tasks that wait for it.
    ///
    /// Calling it again does nothing.
    package func close() {
        descriptor.withLock { descriptor in
            guard let open = descriptor.take() else { return }
            reactor.unregister(token, open.rawValue)
        }
    }
}
