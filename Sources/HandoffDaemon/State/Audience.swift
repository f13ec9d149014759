import HandoffCore
import HandoffModel
import SystemPackage

/// For whom an object is exported: under which of the daemon's two names, each with a connection of its own.
enum Audience: Sendable {
    /// The user's own programs, under `org.handoffd.Control1`.
    case programs
    /// Apps, which may be in a sandbox, under `org.handoffd.Handoff1`.
    case apps

    /// What an app learns about a file that other devices cannot open.
    ///
    /// It is the same whether the file does not exist, is in no folder, or is where nothing answers, and names no folder:
    /// an app in a sandbox may name any path.
    ///
    /// - Parameter file: the file as the app has named it.
    private static func hiddenProblem(of file: String) -> String {
        "\(file) does not exist, or is not in a synchronised folder, so other devices cannot open it; `handoffctl folders` "
            + "shows the folders, and `handoffctl folders add ID PATH` adds one."
    }

    /// Returns why the document of an activity is not available elsewhere, as this audience may know it.
    func documentProblem(of record: ActivityRegister.Record) -> String? {
        guard self == .apps, record.documentProblem != nil else { return record.documentProblem }
        let file = record.activity.documentURL.flatMap { (try? SyncedFolders.file($0)) ?? nil }
        return Self.hiddenProblem(of: file.map { FilePath(bytes: $0.path).description } ?? "The document")
    }

    /// Returns the result of `body`, whose error about a file says what this audience may know.
    func checkingDocuments<Success>(_ body: () throws(HandoffError) -> Success) throws(HandoffError) -> Success {
        do {
            return try body()
        } catch {
            guard self == .apps, [.documentMissing, .documentNotShared].contains(error.code) else { throw error }
            throw HandoffError(.documentNotShared, Self.hiddenProblem(of: "A file"))
        }
    }
}
