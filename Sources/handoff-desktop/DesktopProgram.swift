import ArgumentParser
import Epoll
import Glibc
import TaskThreads

/// The program `handoff-desktop`.
@main
enum DesktopProgram {
    /// The threads of this program's own: for the bus, for signals, for the display, and for looking at programs that
    /// call.
    private static let ownThreads = 5

    /// Runs the command, or says that the system allows too few threads for it.
    static func main() {
        // Before the first task, which needs a thread.
        let shortage = ThreadSupply.shortage(of: TaskThreads.count + ownThreads, for: "handoff-desktop")
        if shortage == nil {
            TaskThreads.run { await DesktopCommand.main() }
        }
        DesktopCommand.note(shortage ?? "The system allows no more open files.")
        exit(EXIT_FAILURE)
    }
}
