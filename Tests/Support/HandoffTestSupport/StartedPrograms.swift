import Foundation

/// The names of all programs that tests have started, for a script that counts them.
///
/// The file that the variable HANDOFF_STARTED_PROGRAMS of the environment names gets one line for each program; without
/// the variable, nothing is written.
enum StartedPrograms {
    private static let file = ProcessInfo.processInfo.environment["HANDOFF_STARTED_PROGRAMS"].map { path in
        open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o644)
    }

    /// Appends a name, with one call: several processes may append to the same file.
    static func append(_ name: String) {
        guard let file else { return }
        let line = Array((name + "\n").utf8)
        // A count that lacks programs would hide what it is for.
        precondition(write(file, line, line.count) == line.count, "HANDOFF_STARTED_PROGRAMS cannot be written to")
    }
}
