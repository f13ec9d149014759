private import CLinux
private import Glibc
package import SystemPackage

/// Signals that this process handles instead of ending, in the order in which they come.
///
/// Programs that it starts get them as if nothing handled them (execve(2)).
package final class SignalStream: Sendable {
    /// For each signal the pipe of the stream that handles it; written before the handler is set.
    ///
    /// A handler may use no lock, so it reads plain memory (signal-safety(7)); no element changes while its handler is set.
    private nonisolated(unsafe) static let pipes: UnsafeMutablePointer<CInt> = {
        let pipes = UnsafeMutablePointer<CInt>.allocate(capacity: 65)
        pipes.initialize(repeating: -1, count: 65)
        return pipes
    }()

    private let reading: ReactorDescriptor
    private let signals: [CInt]

    /// Handles some signals from now on.
    ///
    /// - Parameter signals: their numbers, 1 to 64, of which no other stream handles one.
    /// - Throws: the error of pipe2(2) or epoll_ctl(2).
    package init(_ signals: [CInt], on reactor: Reactor) throws(Errno) {
        var ends: [CInt] = [-1, -1]
        _ = try systemCall { pipe2(&ends, O_CLOEXEC | O_NONBLOCK) }
        reading = try ReactorDescriptor(Descriptor(owning: ends[0]), on: reactor)
        self.signals = signals
        for signal in signals {
            // It is never closed: a handler may still use it while the stream goes away.
            Self.pipes[Int(signal)] = ends[1]
            Self.handle(signal)
        }
    }

    deinit {
        for signal in signals { Glibc.signal(signal, SIG_DFL) }
    }

    /// Waits for the next signal, and returns its number.
    ///
    /// Of signals that nobody has waited for, some may be lost once there are 64 KiB of them (pipe(7)).
    ///
    /// - Throws: `ECANCELED` when the task is cancelled, `EBADF` when the reactor has ended.
    package func next() async throws(Errno) -> CInt {
        try await reading.whenReady(for: .reading) { (number: CInt) throws(Errno) -> CInt in
            var signal: UInt8 = 0
            _ = try systemCall { read(number, &signal, 1) }
            return CInt(signal)
        }
    }

    private static func handle(_ signal: CInt) {
        var action = sigaction()
        action.sa_flags = SA_RESTART
        // Only what signal-safety(7) allows.
        action.__sigaction_handler.sa_handler = { signal in
            let error = errno
            var byte = UInt8(truncatingIfNeeded: signal)
            _ = write(SignalStream.pipes[Int(signal)], &byte, 1)
            errno = error
        }
        sigaction(signal, &action, nil)
    }
}
