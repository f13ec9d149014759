import AsyncSupport
import CLinux
import Epoll
import Glibc
import SystemPackage

/// A program that reads what it is given, and whose output is read up to a limit of bytes and time.
///
/// It is a child of the daemon in a session of its own, with the daemon's sandbox, none of its file descriptors, and
/// only the variables that it is given; it has ended when ``run(on:)`` returns.
struct BoundedProgram: Sendable {
    /// How a run has ended.
    enum Result: Hashable, Sendable {
        /// The program has ended: its exit status, or 128 plus the number of the signal; and its output.
        case ended(Int32, [UInt8])
        /// The program was killed, because it has written more; its output up to the limit.
        case exceeded([UInt8])
        /// The program was killed, because it took too long.
        case timedOut
        /// The program could not be started, since it is not installed or for another reason.
        case notStarted(Errno)
    }

    /// The program, which is searched on the `PATH`, and its arguments.
    let command: [String]
    /// The data on its standard input.
    var input: [UInt8] = []
    /// Its whole environment.
    let environment: [String: String]
    /// The most bytes of output that are read.
    let outputLimit: Int
    /// The longest time that it may take.
    let timeLimit: Duration

    /// How long a program may run after it has closed its output.
    private static let endLimit: CInt = 1000

    /// Runs the program; its messages on standard error are dropped.
    ///
    /// - Throws: `CancellationError` when the task is cancelled; the program has been killed then.
    func run(on reactor: Reactor) async throws -> Result {
        let process: pid_t
        let output: ReactorDescriptor
        do throws(Errno) {
            (process, output) = try start(on: reactor)
        } catch {
            return .notStarted(error)
        }
        let received = try? await withTimeout(timeLimit) { try await read(output) }
        let isComplete = received.flatMap(\.self).map { $0.count <= outputLimit } ?? false
        let status = await Self.reap(process, isAtEnd: isComplete)
        try Task.checkCancellation()
        guard let bytes = received ?? nil else { return .timedOut }
        return isComplete ? .ended(status, bytes) : .exceeded(Array(bytes.prefix(outputLimit)))
    }

    /// Reads to the end of the output, or to one byte more than the limit.
    private func read(_ output: ReactorDescriptor) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count <= outputLimit {
            let piece = try await output.whenReady(for: .reading) { descriptor throws(Errno) in
                var piece = [UInt8](repeating: 0, count: 16384)
                let count = try systemCall { Glibc.read(descriptor, &piece, piece.count) }
                return piece.prefix(count)
            }
            guard !piece.isEmpty else { break }
            bytes += piece
        }
        return bytes
    }

    // MARK: Processes

    /// Waits for the end of the process, even if the task is cancelled, and kills it first unless it is about to end.
    private static func reap(_ process: pid_t, isAtEnd: Bool) async -> Int32 {
        let status = Promise<Int32>()
        let end: @Sendable () -> Void = {
            if !isAtEnd || !endsSoon(process) { kill(-process, SIGKILL) }
            var raw: Int32 = 0
            while waitpid(process, &raw, 0) < 0, errno == EINTR {}
            let signal = raw & 0x7F
            status.fulfil(signal == 0 ? (raw >> 8) & 0xFF : 128 + signal)
        }
        if (try? BlockingThread(end)) == nil { end() }
        return await status.valueIgnoringCancellation()
    }

    private static func endsSoon(_ process: pid_t) -> Bool {
        guard let descriptor = try? Descriptor(opening: { handoff_pidfd_open(process) }) else { return false }
        var event = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
        return poll(&event, 1, endLimit) > 0
    }

    private func start(on reactor: Reactor) throws(Errno) -> (pid_t, ReactorDescriptor) {
        var ends: [CInt] = [0, 0]
        _ = try systemCall { pipe(&ends) }
        let reading = Descriptor(owning: ends[0])
        let writing = Descriptor(owning: ends[1])
        // The write end is closed in the child by its file actions, and in other children by theirs.
        for end in [reading.rawValue, writing.rawValue] { _ = try systemCall { fcntl(end, F_SETFD, FD_CLOEXEC) } }
        let number = reading.rawValue
        _ = try systemCall { fcntl(number, F_SETFL, O_NONBLOCK) }
        let output = try ReactorDescriptor(reading, on: reactor)
        return (try spawn(input: try memoryFile(named: "input", with: input), output: writing), output)
    }

    private func spawn(input: borrowing Descriptor, output: borrowing Descriptor) throws(Errno) -> pid_t {
        let (reading, writing) = (input.rawValue, output.rawValue)
        return try NewProgram(command, variables: environment.map { "\($0.key)=\($0.value)" }).start { actions in
            posix_spawn_file_actions_adddup2(&actions, reading, 0)
            posix_spawn_file_actions_adddup2(&actions, writing, 1)
            posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        }
    }
}
