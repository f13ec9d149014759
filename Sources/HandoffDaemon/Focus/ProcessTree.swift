import Epoll

/// Which processes have started which.
enum ProcessTree {
    /// The most ancestors that are looked at; a program in a terminal has a handful.
    private static let maximumDepth = 64

    /// Whether a process is `root` or was started below it.
    static func contains(_ process: UInt32, below root: UInt32) -> Bool {
        var current = process
        for _ in 0..<maximumDepth {
            if current == root { return true }
            guard let line = kernelFile(at: "/proc/\(current)/stat") else { return false }
            guard let parent = Self.parent(inStat: line), parent > 1 else { return false }
            current = parent
        }
        return false
    }

    /// The id of the parent in a line of /proc/PID/stat (proc_pid_stat(5)); nil if there is none.
    static func parent(inStat line: String) -> UInt32? {
        // The name of the program is in parentheses, and may contain spaces, parentheses, and what would join with the
        // last one to another character.
        let bytes = line.utf8
        guard let name = bytes.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = bytes[name...].dropFirst().split(separator: UInt8(ascii: " "))
        return fields.count > 1 ? UInt32(Substring(fields[1])) : nil
    }
}
