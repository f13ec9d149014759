import Glibc
import HandoffModel
import SystemPackage

/// The path of a file as the daemon, which runs in another directory, can find it.
///
/// - Throws: a `CommandFailure` when there is no working directory any more.
func absolutePath(_ path: String) throws -> String {
    let path = FilePath(path)
    guard !path.isAbsolute else { return path.string }
    guard let working = getcwd(nil, 0) else {
        throw CommandFailure(status: .failed, message: "The working directory is gone; give the whole path.")
    }
    defer { free(working) }
    // Dots stay: what they mean depends on links, which the daemon follows.
    return FilePath(platformString: working).pushing(path).string
}

/// The `file:` URL of a path that a person has typed.
///
/// Not inlined: Swift 6.3.1 crashes in a release build while it splits a coroutine that does this.
///
/// - Throws: `ModelError` for a path that cannot be one.
@inline(never)
func fileURL(_ path: String) throws -> String {
    try FileURL(path: Array(absolutePath(path).utf8)).description
}
