import Epoll
import Glibc
import HandoffApps
import SystemPackage

/// A program to be launched as an app: in a new session, and without the daemon's file descriptors and the variables that
/// concern the daemon alone.
struct LaunchedProgram: Sendable {
    /// The id of its app, or the name of the program.
    var name: String
    /// The program and its arguments.
    let command: [String]
    /// The data on its standard input.
    var input: [UInt8] = []
    /// The absolute path of a file that is its standard input in place of ``input``; nil for none.
    var inputPath: FilePath?
    /// The absolute path of the directory in which it runs; nil for that of the daemon, or of systemd.
    var directory: FilePath?
    /// The variables added to the daemon's environment.
    var environment: [String: String] = [:]

    /// - Parameters:
    ///   - command: the program and its arguments, at least the program.
    ///   - app: the id of the app; nil for a program that is none.
    init(command: [String], of app: String? = nil) {
        self.command = command
        name = app ?? String(command[0].split(separator: "/").last ?? "program")
    }

    /// A program that may take the focus with an activation token; nil for none.
    static func app(_ launch: AppLaunch, of app: String?, _ activationToken: String?) -> LaunchedProgram {
        var program = LaunchedProgram(command: launch.arguments, of: app)
        program.directory = launch.directory.map { FilePath($0) }
        program.environment = launch.environment
        // XDG Activation, "Activation tokens", and Startup Notification 0.1: how a launched program receives its token.
        program.environment["XDG_ACTIVATION_TOKEN"] = activationToken
        program.environment["DESKTOP_STARTUP_ID"] = activationToken
        return program
    }

    /// Starts the program; its output goes to the daemon's log: to the journal, which bounds it, or to the terminal.
    ///
    /// - Returns: its process, which has to be reaped.
    /// - Throws: the error of posix_spawnp(3), such as `ENOENT` when the program does not exist.
    func start() throws(Errno) -> ChildProgram {
        ChildProgram(id: try start(input: try inputFile()))
    }

    private func start(input: borrowing Descriptor) throws(Errno) -> Int32 {
        let number = input.rawValue
        return try NewProgram(command, variables: variables, directory: directory).start { actions in
            if let inputPath {
                _ = inputPath.withPlatformString { posix_spawn_file_actions_addopen(&actions, 0, $0, O_RDONLY, 0) }
            } else {
                posix_spawn_file_actions_adddup2(&actions, number, 0)
            }
            posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, 1)
            posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, 2)
        }
    }

    /// Returns the path of the file that posix_spawnp(3) would execute.
    ///
    /// - Throws: `ENOENT` when there is none; the error of access(2) when the program may not run in its directory.
    func executable() throws(Errno) -> String {
        if let directory, directory.withPlatformString({ access($0, X_OK) }) != 0 { throw Errno(rawValue: errno) }
        if command[0].contains("/") {
            guard access(command[0], X_OK) == 0 else { throw Errno(rawValue: errno) }
            return command[0]
        }
        let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
        for directory in path.split(separator: ":") where directory.hasPrefix("/") {
            let file = "\(directory)/\(command[0])"
            var status = stat()
            if access(file, X_OK) == 0, stat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG { return file }
        }
        throw .noSuchFileOrDirectory
    }

    /// The environment, as `NAME=VALUE`.
    var variables: [String] {
        let inherited = ProgramEnvironment.inherited.filter { entry in
            environment[String(entry.prefix { $0 != "=" })] == nil
        }
        return inherited + added
    }

    /// The variables that systemd adds to its own, which are those of the user's session.
    var serviceVariables: [String] { ProgramEnvironment.isOfService ? added : variables }

    private var added: [String] { environment.map { "\($0.key)=\($0.value)" } }

    /// Returns a memory file with the whole input, so that a program that does not read cannot block the daemon.
    func inputFile() throws(Errno) -> Descriptor { try memoryFile(named: "activity", with: input) }
}
