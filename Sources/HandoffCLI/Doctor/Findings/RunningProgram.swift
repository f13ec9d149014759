import AsyncSupport
import Epoll
import Glibc
import SystemPackage

/// A program that runs as a process, by the file that was executed.
struct RunningProgram: Sendable {
    /// How long it may take to print its version.
    private static let patience: CInt = 5000

    /// The absolute path of the file.
    let path: String

    /// Finds the program of a process; nil when its command line does not begin with an absolute path.
    ///
    /// - Parameter processes: the directory of the kernel's files about processes (proc(5)).
    init?(process: UInt32, processes: String) {
        guard let line = SystemFiles.bytes(of: "\(processes)/\(process)/cmdline", upTo: 4096),
            let path = String(validating: line.prefix { $0 != 0 }, as: UTF8.self), path.hasPrefix("/")
        else { return nil }
        self.path = path
    }

    /// Returns the first line that the program prints when it is asked for its version; nil when it prints none in time.
    ///
    /// - Parameter root: the directory that stands for `/`.
    func versionLine(root: String) async -> String? {
        let line = Promise<String?>()
        let command = [root + path, "--version"]
        guard (try? BlockingThread { line.fulfil(try? Self.firstLine(of: command)) }) != nil else { return nil }
        return try? await line.value()
    }

    private static func firstLine(of command: [String]) throws(Errno) -> String? {
        var ends: [CInt] = [0, 0]
        _ = try systemCall { pipe(&ends) }
        let reading = Descriptor(owning: ends[0])
        let process: pid_t
        do {
            let writing = Descriptor(owning: ends[1])
            for end in [reading.rawValue, writing.rawValue] { _ = try systemCall { fcntl(end, F_SETFD, FD_CLOEXEC) } }
            let output = writing.rawValue
            process = try NewProgram(command, variables: []).start { actions in
                posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
                posix_spawn_file_actions_adddup2(&actions, output, 1)
                posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
            }
        }
        defer {
            kill(-process, SIGKILL)
            var status: Int32 = 0
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
        }
        var event = pollfd(fd: reading.rawValue, events: Int16(POLLIN), revents: 0)
        guard try systemCall({ poll(&event, 1, patience) }) > 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = try systemCall { read(reading.rawValue, &bytes, bytes.count) }
        return String(decoding: bytes[..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}
