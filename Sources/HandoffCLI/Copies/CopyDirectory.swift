import Epoll
import Glibc
import SystemPackage

/// The directory into which copies are put.
struct CopyDirectory: Sendable {
    /// Its absolute path.
    let path: String
    /// The directory itself, whatever its path leads to later.
    let descriptor: FileDescriptor

    /// Opens a directory.
    ///
    /// - Parameter path: absolute.
    /// - Throws: ``CommandFailure`` that names it.
    init(_ path: String) throws {
        self.path = path
        do {
            descriptor = FileDescriptor(rawValue: try systemCall { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) })
        } catch {
            throw CommandFailure(status: .notFound, message: "\(printable(path)) cannot be opened: \(error).")
        }
        guard faccessat(descriptor.rawValue, ".", W_OK | X_OK, 0) == 0 else {
            throw CommandFailure(status: .failed, message: "Nothing can be put into \(printable(path)).")
        }
    }

    /// The person's directory for downloads, which is made if it is missing: the one of xdg-user-dirs, else `Downloads`
    /// in the home directory.
    ///
    /// - Throws: ``CommandFailure`` without a home directory, or if it can be neither opened nor made.
    static func downloads(_ environment: [String: String]) throws -> CopyDirectory {
        guard let home = environment["HOME"], home.hasPrefix("/") else {
            throw CommandFailure(status: .failed, message: "There is no home directory; give --into.")
        }
        let settings = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home + "/.config"
        let text = (try? readText(settings + "/user-dirs.dirs")) ?? ""
        let path = downloads(in: text, home: home) ?? home + "/Downloads"
        mkdir(path, 0o755)
        return try CopyDirectory(path)
    }

    /// The directory that a file of xdg-user-dirs names (user-dirs.dirs(5)); nil if it names none.
    static func downloads(in text: String, home: String) -> String? {
        let key = "XDG_DOWNLOAD_DIR="
        guard let line = text.split(separator: "\n").last(where: { $0.hasPrefix(key) }) else { return nil }
        let value = line.dropFirst(key.count)
        guard value.count >= 2, value.first == "\"", value.last == "\"" else { return nil }
        var path = ""
        var isEscaped = false
        for character in value.dropFirst().dropLast() {
            if character == "\\", !isEscaped {
                isEscaped = true
            } else {
                path.append(character)
                isEscaped = false
            }
        }
        if path == "$HOME" || path.hasPrefix("$HOME/") { path = home + path.dropFirst("$HOME".count) }
        return path.hasPrefix("/") ? path : nil
    }

    /// How many bytes a file may have for which there is room.
    var availableBytes: Int {
        var status = statvfs()
        guard fstatvfs(descriptor.rawValue, &status) == 0 else { return .max }
        return Int(
            clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).partialValue
        )
    }

    private static func readText(_ path: String) throws -> String {
        let file = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
        defer { file.closeIgnoringErrors() }
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        let count = try buffer.withUnsafeMutableBytes { try file.read(into: $0) }
        return String(decoding: buffer.prefix(count), as: UTF8.self)
    }
}
