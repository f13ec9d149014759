import Glibc

/// Where the files of this program are.
enum ProgramPaths {
    /// The directory of the catalogues: of `HANDOFF_LOCALE_DIR`, else of the prefix of the installation.
    static var catalogues: String? {
        getenv("HANDOFF_LOCALE_DIR").map { String(cString: $0) } ?? directory.map { $0 + "/../share/locale" }
    }

    /// The program of that name beside this one, if it is there; else its name, for `PATH` to find.
    static func sibling(_ name: String) -> String {
        guard let path = directory.map({ $0 + "/" + name }), access(path, X_OK) == 0 else { return name }
        return path
    }

    /// The directory of this program; nil when the kernel does not tell.
    private static var directory: String? {
        guard let path = realpath("/proc/self/exe", nil) else { return nil }
        defer { free(path) }
        let text = String(cString: path)
        return text.lastIndex(of: "/").map { String(text[..<$0]) }
    }
}
