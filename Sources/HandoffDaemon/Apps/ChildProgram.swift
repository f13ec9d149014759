import AsyncSupport
import CLinux
import Epoll
import Glibc
import SystemPackage

/// A program that is a child of the daemon, in a session of its own.
struct ChildProgram: Hashable, Sendable {
    /// Its process id, which is that of its session as well.
    let id: Int32

    /// How long it may take to end once it was asked to.
    static let endLimit = Duration.seconds(10)

    /// Waits until it has ended, and reaps it; returns its exit status, or 128 plus the number of the signal.
    ///
    /// - Parameters:
    ///   - reactor: what waits.
    ///   - stopping: once this is set, it is asked to end, and so is what it has started in its session; then all that
    ///     is left is killed.
    ///   - limit: how long it may take to end when it was asked to.
    /// - Throws: `CancellationError` when the task is cancelled; then it is not reaped.
    func waitForExit(
        on reactor: Reactor,
        unless stopping: Promise<Void>,
        within limit: Duration = endLimit
    ) async throws -> Int32 {
        try await race {
            try await waitForEnd(on: reactor)
        } _: {
            try await stopping.value()
            // As it is reaped only below, no other process has its number, and no other session.
            kill(-id, SIGTERM)
            try await sleep(for: limit)
            kill(-id, SIGKILL)
            try await untilCancelled()
        }
        if stopping.valueIfSet != nil { kill(-id, SIGKILL) }
        return try reap()
    }

    /// Reaps it once it has ended; returns its exit status as ``waitForExit(on:unless:)`` does.
    func reap() throws(Errno) -> Int32 {
        var status: Int32 = 0
        _ = try systemCall { waitpid(id, &status, 0) }
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }

    private func waitForEnd(on reactor: Reactor) async throws {
        do throws(Errno) {
            let descriptor = try Descriptor { handoff_pidfd_open(id) }
            let end = try ReactorDescriptor(descriptor, on: reactor)
            try await end.whenReady(for: .reading) { _ throws(Errno) in
                guard try hasEnded else { throw .wouldBlock }
            }
        } catch .canceled {
            throw CancellationError()
        } catch {
            // Without a descriptor to wait on, for example when the limit is reached, the process is polled at growing
            // intervals.
            var retry = Backoff(first: .seconds(1), longest: .seconds(60))
            while try !hasEnded { try await retry.wait() }
        }
    }

    /// Whether it has ended and was not reaped; see waitid(2), `WNOWAIT`.
    private var hasEnded: Bool {
        get throws(Errno) {
            var information = siginfo_t()
            _ = try systemCall { waitid(P_PID, id_t(id), &information, WEXITED | WNOHANG | WNOWAIT) }
            return information.si_signo != 0
        }
    }
}
