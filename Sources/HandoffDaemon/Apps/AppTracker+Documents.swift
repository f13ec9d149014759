import Glibc
import HandoffApps
import HandoffCore
import HandoffModel
import Logging
import SystemPackage

/// A document of this device that may be opened.
struct OpenableDocument: Sendable {
    let url: FileURL
    /// The last component of its path.
    let name: String
    /// Its MIME type, followed by the supertypes.
    let types: [String]

    /// Those of its types as which it does nothing when it is opened; empty if its own type is none of them.
    ///
    /// JSON is a kind of JavaScript in the database: an app of JSON or of plain text shows it, and one of JavaScript may
    /// execute it.
    var inertTypes: [String] {
        types.first.map(InertTypes.contains) == true ? types.filter(InertTypes.contains) : []
    }
}

extension AppTracker {
    /// Returns the document that a URL names.
    ///
    /// - Throws: ``HandoffError`` with `notContinuable` when it is not a file on this device that can be read.
    func document(at text: String) throws(HandoffError) -> OpenableDocument {
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
        return OpenableDocument(url: url, name: name, types: documentApps.types(ofFileNamed: name, at: url.path))
    }

    /// Lets a document be opened in an app: if it does nothing there, or the user agrees, or has agreed before.
    ///
    /// That the user agrees is remembered for the type and the app, if these are what the user was asked about: both may be
    /// others by then. The modes of the file do not count: on some file systems every file can be executed, and an app gets
    /// the document, and does not execute it.
    ///
    /// - Parameters:
    ///   - document: the document.
    ///   - app: the id of the app's desktop file.
    ///   - isInert: whether the app opens it as one of its ``OpenableDocument/inertTypes``.
    ///   - entry: the entry that is continued.
    ///   - hasAgreed: whether the user has agreed, to the question about that entry if there was one.
    /// - Throws: ``HandoffError`` with `documentIsProgram`.
    func permit(
        _ document: OpenableDocument,
        in app: String,
        asInert isInert: Bool,
        of entry: NearbyEntry.ID,
        hasAgreed: Bool
    ) async throws(HandoffError) {
        let type = document.types.first
        if isInert || type.map({ confirmedTypes.contains($0, for: app) }) == true { return }
        let question = ConfirmedTypes.Question(type: type ?? "", app: app)
        let asked = confirmedTypes.takeQuestion(about: entry)
        guard hasAgreed, asked == nil || asked == question else {
            confirmedTypes.ask(question, about: entry)
            throw HandoffError(
                .documentIsProgram,
                "\(document.name) \(type.map { "is of the type \($0)" } ?? "has no type that is known here"), and may start "
                    + "a program when \(app) opens it. It is not opened before you have agreed: use `handoffctl continue "
                    + "--open-program`\(type == nil ? "" : ", which is remembered for this type and app")."
            )
        }
        if let type, asked == question { await remember(type, for: app) }
    }

    private func remember(_ type: String, for app: String) async {
        do {
            try await confirmedTypes.insert(type, for: app)
        } catch {
            logger.warning(
                "cannot remember that documents of a type are opened: \(error)",
                metadata: ["event": "type.unwritten", "type": "\(type)", "app": "\(app)"]
            )
        }
    }

    /// An app for a document, and whether it opens it as one of its inert types.
    typealias Choice = (app: DocumentApp, isInert: Bool)

    /// Returns the apps for a document, the default one first: those that open it as one of its inert types, then all others.
    ///
    /// - Throws: ``HandoffError`` with `notContinuable` when no app here opens it.
    func choices(for document: OpenableDocument) throws(HandoffError) -> [Choice] {
        let inert = documentApps.apps(for: document.inertTypes)
        let ids = Set(inert.map(\.id))
        let others = documentApps.apps(for: document.types).filter { !ids.contains($0.id) }
        guard !inert.isEmpty || !others.isEmpty else {
            let type = document.types.first ?? MediaTypes.unknown
            throw HandoffError(
                .notContinuable,
                type == MediaTypes.unknown
                    ? "The type of the document \(document.url) is unknown here, and no app opens every file."
                    : "No app here opens documents of the type \(type): install one, or choose one with "
                        + "`xdg-mime default APP.desktop \(type)`."
            )
        }
        return inert.map { ($0, true) } + others.map { ($0, false) }
    }
}
