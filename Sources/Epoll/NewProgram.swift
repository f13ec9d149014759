private import CLinux
package import Glibc
package import SystemPackage

/// A program that is started in a session of its own, without this process's signal settings and file descriptors.
package struct NewProgram: Sendable {
    /// `POSIX_SPAWN_SETSID` (spawn.h), which is not visible to a module without _GNU_SOURCE.
    private static let newSession: Int16 = 0x80

    private let command: [String]
    private let variables: [String]
    private let directory: FilePath?

    /// - Parameters:
    ///   - command: the program, which is looked for in `PATH` unless it has a slash, and its arguments; not empty.
    ///   - variables: its environment, as `NAME=VALUE`.
    ///   - directory: the directory in which it runs; nil for that of this process.
    package init(_ command: [String], variables: [String], directory: FilePath? = nil) {
        self.directory = directory
        self.command = command
        self.variables = variables
    }

    /// Starts the program; the caller reaps it.
    ///
    /// - Parameter prepare: adds the actions by which its first three descriptors become others than this process's;
    ///   the rest is closed.
    /// - Returns: its process id.
    /// - Throws: the error of posix_spawnp(3), such as `ENOENT` when the program does not exist.
    package func start(_ prepare: (inout posix_spawn_file_actions_t) -> Void) throws(Errno) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        prepare(&actions)
        if let directory {
            _ = directory.withPlatformString { posix_spawn_file_actions_addchdir_np(&actions, $0) }
        }
        posix_spawn_file_actions_addclosefrom_np(&actions, 3)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        Self.resetSignals(&attributes)
        var words = command.map { strdup($0) } + [nil]
        var variables = variables.map { strdup($0) } + [nil]
        defer { for text in words + variables { free(text) } }
        var process: pid_t = 0
        let error = posix_spawnp(&process, command[0], &actions, &attributes, &words, &variables)
        guard error == 0 else { throw Errno(rawValue: error) }
        return process
    }

    /// Resets signals that this process may have blocked or ignored.
    private static func resetSignals(_ attributes: inout posix_spawnattr_t) {
        var (all, none) = (sigset_t(), sigset_t())
        sigfillset(&all)
        sigemptyset(&none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setsigmask(&attributes, &none)
        let flags = Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETSIGMASK) | newSession
        posix_spawnattr_setflags(&attributes, flags)
    }
}
