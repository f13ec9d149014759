import HandoffCore
import HandoffFolders
import HandoffModel
import HandoffWire

extension Engine {
    /// Takes in which synchronised folders there are.
    func setFolders(_ folders: SyncedFolders) {
        change { state, _ in state.folders = folders }
    }

    /// Checks that other devices could open the files that an activity names.
    ///
    /// The document that the activity is about may come into a folder later; any other file has to be in one.
    ///
    /// - Returns: why the document cannot follow now; nil when it can, and for an activity without one.
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

    /// Takes in why an activity's document cannot follow, or that it can.
    func setDocumentProblem(_ problem: String?, of id: ActivityRegister.ID) {
        change { state, now in
            guard let before = try? state.origin.activity(id), before.documentProblem != problem else { return }
            state.origin.setDocumentProblem(problem, of: id, at: now)
            state.showChange(since: before)
        }
    }

    /// The answer with the files in it as other devices know them, or the reason why it cannot be given.
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
    /// The error for a document that cannot follow.
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
