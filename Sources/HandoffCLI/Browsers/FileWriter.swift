import FoundationEssentials
import Glibc
import HandoffBrowser
import SystemPackage

/// Writes and removes files that browsers and the desktop read.
enum FileWriter {
    /// Writes a file as a whole, and makes its directory.
    ///
    /// - Throws: ``CommandFailure`` that names the file.
    static func write(_ file: InstalledFile) throws {
        let directory = FilePath(file.path).removingLastComponent().string
        do {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            try Data(file.text.utf8).write(to: URL(filePath: file.path), options: .atomic)
            // Other users read the files of a package.
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
        } catch {
            throw CommandFailure(status: .failed, message: "\(file.path) cannot be written: \(reason(error)).")
        }
    }

    /// Why Foundation could not write a file, in words.
    private static func reason(_ error: any Error) -> String {
        switch (error as? CocoaError)?.code {
        case .fileWriteNoPermission: "it, or its directory, belongs to somebody else"
        case .fileWriteOutOfSpace: "no space is left"
        case .fileWriteVolumeReadOnly: "the file system cannot be changed"
        default: "a part of its path is no directory, or cannot be used"
        }
    }

    /// Removes a file.
    ///
    /// - Returns: false if there is none.
    /// - Throws: ``CommandFailure`` that names the file.
    static func remove(_ file: InstalledFile) throws -> Bool {
        guard unlink(file.path) != 0 else { return true }
        guard errno != ENOENT, errno != ENOTDIR else { return false }
        let reason = String(cString: strerror(errno))
        throw CommandFailure(status: .failed, message: "\(file.path) cannot be removed: \(reason).")
    }
}
