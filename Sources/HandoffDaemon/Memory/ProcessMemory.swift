import CLinux
import Epoll

/// This process's memory: its protection, since it has keys in it, and its size.
package enum ProcessMemory {
    /// Keeps other programs of the user from reading the memory, and the system from writing it into a core file.
    ///
    /// A program that this process executes is not affected (prctl(2), PR_SET_DUMPABLE), but for its soft limit on core
    /// files, which it may raise.
    package static func protect() {
        setDumpable(false)
        _ = handoff_disable_core_files()
    }

    /// Takes all code out of this process's memory; what is used next comes back from the page cache, and the rest stays
    /// out.
    ///
    /// The kernel maps 64 KiB around each page of a program that is used, so that a start leaves most of handoffd's code in
    /// its memory (Docs/Decisions/0045-code-that-is-not-used-leaves-memory.md). Does nothing while a debugger is attached,
    /// whose breakpoints are in the code.
    static func releaseCode() {
        guard !isTraced else { return }
        handoff_release_code()
    }

    /// Whether a debugger is attached; true if that cannot be known.
    private static var isTraced: Bool {
        // proc_pid_status(5): the line is among the first ten.
        guard let status = kernelFile(at: "/proc/self/status") else { return true }
        return !status.split(separator: "\n").contains("TracerPid:\t0")
    }

    /// Whether a core file may be written of this process, and other programs of the user may read its memory.
    static var isDumpable: Bool { handoff_get_dumpable() != 0 }

    static func setDumpable(_ isDumpable: Bool) {
        _ = handoff_set_dumpable(isDumpable ? 1 : 0)
    }
}
