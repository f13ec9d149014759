import HandoffCore
import HandoffFolders
import HandoffModel
import HandoffWire

extension Engine {
    /// Sets the synchronised folders.
    func setFolders(_ folders: SyncedFolders) {
        change { state, _ in state.folders = folders }
    }

    /// Checks that other devices could open the files that an activity names.
    ///
    /// The document of the activity may be moved into a synchronised folder later; any other file has to be in one
    /// already.
    ///
    /// - Returns: why the document cannot be opened elsewhere now; nil when it can, and for an activity without a
    ///   document.
    /// - Throws: ``HandoffError`` with `documentNotShared`, `documentMissing` or `invalidDocument`.
    func documentProblem(of activity: Activity) throws(HandoffError) -> String? {
        let folders = read(\.folders)
        do throws(FolderError) {
            try folders.check(activity)
            return try folders.documentFault(of: activity)?.message
        } catch {
            throw HandoffError(error)
        }
    }

    /// Sets why an activity's document cannot be opened on other devices; nil when it can.
    func setDocumentProblem(_ problem: String?, of id: ActivityRegister.ID) {
        change { state, now in
            guard let before = try? state.origin.activity(id), before.documentProblem != problem else { return }
            state.origin.setDocumentProblem(problem, of: id, at: now)
            state.showChange(since: before)
        }
    }

    /// Returns the answer with its files in the form for other devices, or the reason why this is not possible.
    func withSharedDocuments(_ answer: Answer) -> Answer {
        guard case .activity(let activity) = answer else { return answer }
        do {
            let shared = try read(\.folders).shared(activity)
            try shared.checkEncodedSize()
            return .activity(shared)
        } catch let fault as FolderError {
            return .refusal(Refusal(.documentNotShared, fault.message))
        } catch {
            return .refusal(Refusal(.tooLarge, "\(error)"))
        }
    }
}

extension HandoffError {
    /// The error for a document that cannot be opened elsewhere.
    init(_ fault: FolderError) {
        let code: Code =
            switch fault.code {
            case .missing, .unresponsive: .documentMissing
            case .noSuchFolder: .noSuchFolder
            case .notShared, .outsideFolder: .documentNotShared
            case .foreign: .peerMisbehaved
            default: .invalidDocument
            }
        self.init(code, fault.message)
    }
}
