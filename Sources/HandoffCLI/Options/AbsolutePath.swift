import Glibc
import HandoffModel
import SystemPackage

/// The absolute path of a file: the daemon runs in another directory and cannot resolve a relative one.
///
/// - Throws: `CommandFailure` if the working directory was removed.
func absolutePath(_ path: String) throws -> String {
    let path = FilePath(path)
    guard !path.isAbsolute else { return path.string }
    guard let working = getcwd(nil, 0) else {
        throw CommandFailure(status: .failed, message: "The working directory no longer exists; give an absolute path.")
    }
    defer { free(working) }
    // "." and ".." stay: their meaning depends on symbolic links, which the daemon follows.
    return FilePath(platformString: working).pushing(path).string
}

/// The `file:` URL of a path from the command line.
///
/// Not inlined: Swift 6.3.1 crashes in a release build while it splits a coroutine that does this.
///
/// - Throws: `ModelError` for a path that no `file:` URL can contain.
@inline(never)
func fileURL(_ path: String) throws -> String {
    try FileURL(path: Array(absolutePath(path).utf8)).description
}
