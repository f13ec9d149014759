import Glibc
import HandoffApps
import HandoffCore
import HandoffFolders
import HandoffModel
import SystemPackage

/// A document of this device that may be opened.
struct OpenableDocument: Sendable {
    let url: FileURL
    /// Its MIME type, followed by the supertypes; empty if it is unknown.
    let types: [String]
}

extension AppTracker {
    /// Returns the document that a URL names.
    ///
    /// - Parameters:
    ///   - text: the URL.
    ///   - mayStartPrograms: whether it may be a document that can start a program, as the user has decided.
    /// - Throws: ``HandoffError`` with `notContinuable` when it is not a file on this device that can be read, and with
    ///   `documentIsProgram`.
    func document(at text: String, mayStartPrograms: Bool) throws(HandoffError) -> OpenableDocument {
        guard let url = try? FileURL(text) else {
            throw HandoffError(.notContinuable, "\(text.debugDescription) is not a document on this device.")
        }
        // Bytes, not text: a path that is not UTF-8 would be that of another file if it were repaired.
        let path = FilePath(bytes: url.path)
        var status = stat()
        guard path.withPlatformString({ access($0, R_OK) == 0 && stat($0, &status) == 0 }),
            let name = path.lastComponent?.string
        else {
            throw HandoffError(.notContinuable, "The document \(path) does not exist or cannot be read.")
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw HandoffError(.notContinuable, "\(path) is not a regular file, so it is not opened.")
        }
        let types = documentApps.types(ofFileNamed: name)
        let isProgram = ProgramTypes.contains(types) || Self.isExecutable(path, status)
        guard mayStartPrograms || !isProgram else {
            throw HandoffError(
                .documentIsProgram,
                "The document \(name) can start a program; it is not opened before you have confirmed that it may: use "
                    + "`handoffctl continue --open-program`."
            )
        }
        return OpenableDocument(url: url, types: types)
    }

    /// Returns the default app for a document.
    ///
    /// - Throws: ``HandoffError`` with `notContinuable` when no app here opens it.
    func defaultApp(for document: OpenableDocument) throws(HandoffError) -> DocumentApp {
        guard let type = document.types.first else {
            throw HandoffError(.notContinuable, "The type of the document \(document.url) is unknown here.")
        }
        guard let app = documentApps.app(for: document.types) else {
            throw HandoffError(
                .notContinuable,
                "No app here opens documents of the type \(type): install one, or choose one with "
                    + "`xdg-mime default APP.desktop \(type)`."
            )
        }
        return app
    }

    /// `ST_NOEXEC` (bits/statvfs.h), which is not visible to a module without _GNU_SOURCE.
    private static let noExecution: UInt = 8

    /// Whether the system would execute the file.
    ///
    /// File systems that have no modes of their own show every file as executable, and are usually mounted so that
    /// nothing on them is executed.
    private static func isExecutable(_ path: FilePath, _ status: stat) -> Bool {
        var fileSystem = statvfs()
        guard status.st_mode & 0o111 != 0 else { return false }
        return path.withPlatformString { statvfs($0, &fileSystem) } != 0 || fileSystem.f_flag & Self.noExecution == 0
    }
}
