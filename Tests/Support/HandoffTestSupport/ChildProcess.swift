import Foundation
import Synchronization
import TestRuns

/// A program that a test needs is not installed or does not start.
package struct MissingProgram: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) {
        self.description = description
    }
}

/// A program that a test has started, with an empty standard input unless it has a terminal.
///
/// Tests run concurrently, and a program that inherits another program's pipe prevents the end of that pipe. Therefore
/// the pipes are closed on exec, and only one program is started at a time.
package final class ChildProcess: Sendable {
    /// The Debian package of each program.
    private static let packages = [
        "busctl": "systemd", "dbus-daemon": "dbus-daemon", "gdbus": "libglib2.0-bin",
        "python3": "python3-dbus python3-gi", "pkg-config": "pkg-config", "qdbusxml2cpp": "qtbase5-dev-tools",
        "moc": "qtbase5-dev-tools", "gdbus-codegen": "libglib2.0-dev-bin", "gcc": "gcc",
    ]

    package let processID: Int32
    /// The program's standard output.
    package let stdout: PipeReader
    /// The program's standard error.
    package let stderr: PipeReader

    private let exit: ProcessExit
    private let name: String

    private static let starting = Mutex(())

    /// Starts the program at the absolute path `executable`, with the test's environment and `environment` added to it.
    ///
    /// With the file descriptor of a `terminal`, its standard streams are the terminal, and ``stdout`` and ``stderr``
    /// are empty.
    ///
    /// - Throws: `MissingProgram`, which names the package to install, if there is no such program.
    package init(
        _ executable: String,
        _ arguments: [String] = [],
        environment: [String: String] = [:],
        terminal: Int32? = nil
    ) throws {
        name = URL(filePath: executable).lastPathComponent
        guard access(executable, X_OK) == 0 else {
            throw MissingProgram(
                description: "\(executable) is missing: apt-get install \(Self.packages[name] ?? name)"
            )
        }
        let all = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
        let (started, output, errors) = try Self.starting.withLock { _ in
            let output = try Self.closedOnExec()
            let errors = try Self.closedOnExec()
            defer {
                close(output.write)
                close(errors.write)
            }
            let command = [executable] + arguments
            let streams = (output: terminal ?? output.write, errors: terminal ?? errors.write)
            return (try Self.spawn(command, all, input: terminal, streams), output.read, errors.read)
        }
        StartedPrograms.append(name)
        processID = started
        stdout = PipeReader(output)
        stderr = PipeReader(errors)
        exit = ProcessExit(of: processID)
    }

    /// Waits until the program has ended and has been reaped.
    ///
    /// - Returns: its exit status, or, as in a shell, 128 plus the number of the signal that ended it.
    package func exitStatus() async -> Int32 {
        await awaiting("the end of \(name), process \(processID)") { await exit.status() }
    }

    /// Kills the program unless it has ended.
    package func kill() {
        exit.kill()
    }

    private static func closedOnExec() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw MissingProgram(description: "cannot create a pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    private static func spawn(
        _ command: [String],
        _ environment: [String: String],
        input: Int32?,
        _ streams: (output: Int32, errors: Int32)
    ) throws -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input {
            posix_spawn_file_actions_adddup2(&actions, input, 0)
        } else {
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        }
        posix_spawn_file_actions_adddup2(&actions, streams.output, 1)
        posix_spawn_file_actions_adddup2(&actions, streams.errors, 2)
        var words = command.map { strdup($0) } + [nil]
        var settings = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in words + settings { free(text) } }
        // The thread of a test may block signals, which a program would inherit: a bus would not see its services end.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var processID: pid_t = 0
        let failure = posix_spawn(&processID, command[0], &actions, &attributes, &words, &settings)
        guard failure == 0 else {
            throw MissingProgram(description: "\(command[0]) does not start: \(String(cString: strerror(failure)))")
        }
        return processID
    }
}

/// Reaps one process, and resumes the tasks that wait for its end.
private final class ProcessExit: Sendable {
    private enum State {
        case running([CheckedContinuation<Int32, Never>])
        case exited(Int32)
    }

    private let state = Mutex(State.running([]))
    private let processID: Int32

    init(of processID: Int32) {
        self.processID = processID
        Thread.detachNewThread { [self] in reap() }
    }

    func status() async -> Int32 {
        await withCheckedContinuation { continuation in
            let status = state.withLock { state -> Int32? in
                switch state {
                case .exited(let status): return status
                case .running(let waiters):
                    state = .running(waiters + [continuation])
                    return nil
                }
            }
            if let status { continuation.resume(returning: status) }
        }
    }

    func kill() {
        state.withLock { state in
            guard case .running = state else { return }
            Foundation.kill(processID, SIGKILL)
        }
    }

    private func reap() {
        // First without reaping, so that the process id is not reused until no task can kill it any more.
        var information = siginfo_t()
        while waitid(P_PID, id_t(processID), &information, WEXITED | WNOWAIT) == -1, errno == EINTR {}
        let (status, waiters) = state.withLock { state -> (Int32, [CheckedContinuation<Int32, Never>]) in
            var raw: Int32 = 0
            waitpid(processID, &raw, 0)
            let signal = raw & 0x7F
            let status = signal == 0 ? (raw >> 8) & 0xFF : 128 + signal
            guard case .running(let waiters) = state else { return (status, []) }
            state = .exited(status)
            return (status, waiters)
        }
        for waiter in waiters { waiter.resume(returning: status) }
    }
}
