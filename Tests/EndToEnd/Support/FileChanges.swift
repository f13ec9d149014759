import Epoll
import Foundation
import HandoffTestSupport
import SystemPackage
import TestRuns

/// Waits until `condition` holds, which is evaluated now and after each change of a file in one of the directories, which
/// need not exist yet; a file that a program has open counts as changed when it is closed.
///
/// - Throws: the error of `condition`, and `MissingProgram` if the kernel does not tell of changes.
func untilFiles(
    in directories: [URL],
    _ what: String,
    at place: String = #fileID,
    line: Int = #line,
    _ condition: () throws -> Bool
) async throws {
    try await awaiting(what, at: place, line: line) {
        while true {
            // Anew each time: a directory that has appeared was not watched before.
            let watch = DirectoryWatch(directories.map { FilePath($0.path()) })
            if let obstacle = watch.obstacle { throw MissingProgram(description: obstacle.description) }
            if try condition() { return }
            try await watch.changed(orAfter: .zero)
        }
    }
}
