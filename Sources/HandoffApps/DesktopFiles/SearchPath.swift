private import Glibc

/// The directories in which programs without a path are searched.
struct SearchPath: Hashable, Sendable {
    private let directories: [String]

    /// Parses the value of the variable `PATH`.
    init(_ text: String) {
        directories = text.split(separator: ":").map(String.init)
    }

    /// Whether a program is installed; true for nil.
    func has(_ program: String?) -> Bool {
        guard let program else { return true }
        if program.utf8.contains(UInt8(ascii: "/")) { return Self.isProgram(program) }
        return directories.contains { Self.isProgram($0 + "/" + program) }
    }

    private static func isProgram(_ path: String) -> Bool {
        var status = stat()
        return access(path, X_OK) == 0 && stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFDIR
    }
}
