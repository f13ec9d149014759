private import CLinux
private import Glibc
private import Synchronization
package import SystemPackage

/// A dedicated thread for blocking work, so that no thread that runs tasks blocks.
package final class BlockingThread: Sendable {
    private enum State {
        case running
        case awaited(CheckedContinuation<Void, Never>)
        case ended
    }

    private let name: String
    private let body: @Sendable () -> Void
    private let state = Mutex(State.running)

    /// Starts a thread that runs `body` once.
    ///
    /// - Parameter name: what tools show, such as top(1): at most 15 bytes (prctl(2)).
    /// - Throws: `EAGAIN` when the system allows no more threads (pthread_create(3)).
    package init(named name: String = "blocking", _ body: @escaping @Sendable () -> Void) throws(Errno) {
        (self.name, self.body) = (name, body)
        let argument = Unmanaged.passRetained(self)
        var thread = pthread_t()
        let error = pthread_create(&thread, nil, Self.start, argument.toOpaque())
        guard error == 0 else {
            argument.release()
            throw Errno(rawValue: error)
        }
        pthread_detach(thread)
    }

    /// Waits until `body` has returned, even if the calling task is cancelled; to be called at most once.
    package func ended() async {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                switch state {
                case .running: state = .awaited(continuation)
                case .awaited, .ended: continuation.resume()
                }
            }
        }
    }

    private static let start: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { argument in
        guard let argument else { return nil }
        let thread = Unmanaged<BlockingThread>.fromOpaque(argument).takeRetainedValue()
        _ = handoff_name_thread(thread.name)
        // Signals are handled by other threads.
        var allSignals = sigset_t()
        sigfillset(&allSignals)
        pthread_sigmask(SIG_BLOCK, &allSignals, nil)
        thread.body()
        thread.finish()
        return nil
    }

    private func finish() {
        state.withLock { state in
            if case .awaited(let continuation) = state { continuation.resume() }
            state = .ended
        }
    }
}
