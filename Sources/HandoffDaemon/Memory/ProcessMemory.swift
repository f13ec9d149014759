import CLinux

/// The protection of this process's memory, since it has keys in it.
package enum ProcessMemory {
    /// Keeps other programs of the user from reading the memory, and the system from writing it into a core file.
    ///
    /// A program that this process executes is not affected (prctl(2), PR_SET_DUMPABLE), but for its soft limit on core
    /// files, which it may raise.
    package static func protect() {
        setDumpable(false)
        _ = handoff_disable_core_files()
    }

    /// Whether a core file may be written of this process, and other programs of the user may read its memory.
    static var isDumpable: Bool { handoff_get_dumpable() != 0 }

    static func setDumpable(_ isDumpable: Bool) {
        _ = handoff_set_dumpable(isDumpable ? 1 : 0)
    }
}
