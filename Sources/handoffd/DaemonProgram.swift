import ArgumentParser
import Epoll
import Glibc
import HandoffDaemon
import TaskThreads

/// The program `handoffd`.
@main
enum DaemonProgram {
    /// The threads of the daemon's own: for everything that it waits for, for connecting to a bus, and for files.
    private static let ownThreads = 4

    /// Runs the command, or says that the system allows too few threads for it.
    static func main() {
        // Before the first task, which needs a thread.
        let shortage = ThreadSupply.shortage(of: TaskThreads.count + ownThreads, for: "handoffd")
        if shortage == nil {
            TaskThreads.run { await DaemonCommand.main() }
        }
        StartFailure.report(
            shortage ?? "The system allows no more open files.",
            isForeground: CommandLine.arguments.contains("--foreground")
        )
        exit(EXIT_FAILURE)
    }
}
