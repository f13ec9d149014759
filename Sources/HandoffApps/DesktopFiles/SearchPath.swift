private import Glibc

/// The directories in which programs without a path are searched: the variable `PATH`.
struct SearchPath: Hashable, Sendable {
    private let directories: [String]

    init(_ text: String) {
        directories = text.split(separator: ":").map(String.init)
    }

    /// Whether a program is installed; true for nil.
    func has(_ program: String?) -> Bool {
        guard let program else { return true }
        if program.contains("/") { return access(program, X_OK) == 0 }
        return directories.contains { access($0 + "/" + program, X_OK) == 0 }
    }
}
