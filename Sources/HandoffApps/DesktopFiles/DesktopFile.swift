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
    private static let depth = 8

    /// The files of a directory and its subdirectories, sorted by id.
    static func all(in directory: String) -> [DesktopFile] {
        Array(Tree(directory, depth).files.sorted { $0.id < $1.id }.prefix(maximumFiles))
    }

    /// The paths of the subdirectories of a directory.
    static func directories(in directory: String) -> [String] { Tree(directory, depth).directories }

    /// Whether it is in a directory to which Flatpak exports the files of its apps (flatpak(1), "exports/share").
    var isExported: Bool { path.includes("/exports/share/") }

    /// The text of the file; nil if it cannot be read.
    var text: String? { smallFile(at: path, upTo: Self.maximumFileBytes) }

    /// What is in a directory and below it, where links to other directories are followed: people keep files elsewhere
    /// and link to them, as GNU Stow and Nix do.
    private struct Tree {
        var files: [DesktopFile] = []
        var directories: [String] = []
        /// The directories on the way to the present one: a link to one of these leads nowhere.
        private var way: [Place] = []

        /// What identifies a directory, by whatever path.
        private struct Place: Equatable {
            let device: UInt64
            let number: UInt64
        }

        init(_ directory: String, _ depth: Int) {
            guard let place = Self.place(of: directory) else { return }
            way = [place]
            add(directory, "", depth)
        }

        private mutating func add(_ path: String, _ prefix: String, _ depth: Int) {
            for name in DesktopFile.names(in: path).prefix(maximumFiles) where files.count < maximumFiles {
                let inner = path + "/" + name
                if name.hasSuffix(".desktop") {
                    files.append(DesktopFile(path: inner, id: prefix + name.dropLast(".desktop".count)))
                } else if depth > 0, let place = Self.place(of: inner), !way.contains(place) {
                    directories.append(inner)
                    way.append(place)
                    add(inner, prefix + name + "-", depth - 1)
                    way.removeLast()
                }
            }
        }

        /// The directory at a path; nil if something else is there.
        private static func place(of path: String) -> Place? {
            var status = stat()
            guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
            return Place(device: UInt64(status.st_dev), number: UInt64(status.st_ino))
        }
    }

    private static func names(in directory: String) -> [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
