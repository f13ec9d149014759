private import Glibc

/// The location and the id of a desktop file.
struct DesktopFile: Hashable, Sendable {
    let path: String
    /// Its id, without `.desktop`; includes the names of subdirectories (Desktop Entry Specification, "Desktop File
    /// ID").
    let id: String

    /// Larger files are ignored.
    private static let maximumFileBytes = 256 * 1024
    /// The maximum number of files in a directory; a fully installed desktop has a few hundred.
    private static let maximumFiles = 10_000
    /// The maximum depth of subdirectories.
    private static let depth = 3

    /// The files of a directory and its subdirectories, sorted by id.
    static func all(in directory: String) -> [DesktopFile] {
        Array(entries(of: directory, "", depth).files.sorted { $0.id < $1.id }.prefix(maximumFiles))
    }

    /// The paths of the subdirectories of a directory.
    static func directories(in directory: String) -> [String] {
        entries(of: directory, "", 1).directories
    }

    /// Whether it is in a directory to which Flatpak exports the files of its apps (flatpak(1), "exports/share").
    var isExported: Bool { path.includes("/exports/share/") }

    /// The text of the file; nil if it cannot be read.
    var text: String? { smallFile(at: path, upTo: Self.maximumFileBytes) }

    private static func entries(
        of path: String,
        _ prefix: String,
        _ depth: Int
    ) -> (files: [DesktopFile], directories: [String]) {
        var files: [DesktopFile] = []
        var directories: [String] = []
        for name in names(in: path).prefix(maximumFiles) {
            let inner = path + "/" + name
            if name.hasSuffix(".desktop") {
                files.append(DesktopFile(path: inner, id: prefix + name.dropLast(".desktop".count)))
            } else if depth > 0, isDirectory(inner) {
                directories.append(inner)
                let below = entries(of: inner, prefix + name + "-", depth - 1)
                files += below.files
                directories += below.directories
            }
        }
        return (files, directories)
    }

    private static func names(in directory: String) -> [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }

    private static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        // Symbolic links are not followed: they may form cycles.
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
