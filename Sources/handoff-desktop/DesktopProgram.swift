import CLinux
import Epoll
import Glibc
import TaskThreads

/// The program `handoff-desktop`.
@main
enum DesktopProgram {
    /// The threads of this program's own: for the bus, for signals, for the display, for directories in which sockets appear,
    /// and for looking at programs that call.
    private static let ownThreads = 6

    /// Runs the command, or says that the system allows too few threads for it.
    static func main() {
        // Its threads hardly ever work at the same time: with a heap for each, each would keep some pages of its own.
        mallopt(M_ARENA_MAX, 1)
        // Before the first task, which needs a thread.
        let shortage = ThreadSupply.shortage(of: TaskThreads.count + ownThreads, for: "handoff-desktop")
        if shortage == nil {
            TaskThreads.run { exit(await DesktopCommand.run()) }
        }
        DesktopCommand.note(shortage ?? "The system allows no more open files.")
        exit(EXIT_FAILURE)
    }
}
