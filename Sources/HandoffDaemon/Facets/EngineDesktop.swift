import HandoffApps
import HandoffCore
import HandoffModel

extension Engine {
    /// The desktop of this device.
    var desktop: EngineDesktop { EngineDesktop(engine: self) }
}

/// What the desktop of this device offers for activities: installed apps, and synchronised folders.
struct EngineDesktop: Sendable {
    let engine: Engine

    /// The apps that continue activities and that the rules allow, and the user's default for each type.
    var apps: AppRegistry { engine.read(\.desktop.apps) }

    /// The same with those that the rules do not allow.
    var installedApps: AppRegistry { engine.read(\.desktop.installedApps) }

    /// The synchronised folders.
    var folders: SyncedFolders { engine.read(\.desktop.folders) }

    /// Sets the installed apps; entries whose launch target changes are shown again.
    func setApps(_ registry: AppRegistry) {
        change { apps in
            let (defaults, approvals) = (apps.defaults, apps.siteApprovals)
            apps = registry
            apps.defaults = defaults
            apps.siteApprovals = approvals
        }
        engine.change { state, _ in state.desktop.appsAreKnown() }
    }

    /// Sets the user's default app for each type.
    func setDefaultApps(_ defaults: [ActivityType: String]) {
        change { $0.defaults = defaults }
    }

    /// Sets the default web browser; nil if there is none.
    func setBrowser(_ id: String?) {
        change { $0.browserID = id }
    }

    /// Whether the user is notified of nearby activities.
    var notifies: Bool { engine.read(\.desktop.notifies) }

    /// Sets whether the user is notified.
    func setNotifies(_ notifies: Bool) {
        engine.change { state, _ in
            guard state.desktop.notifies != notifies else { return }
            state.desktop.notifies = notifies
            state.show(.settingsChanged)
        }
    }

    /// Sets the synchronised folders; entries whose launch target changes with the first or the last one are shown again.
    func setFolders(_ folders: SyncedFolders) {
        engine.change { state, _ in
            guard folders != state.desktop.folders else { return }
            let hadFolders = !state.desktop.folders.all.isEmpty
            state.desktop.folders = folders
            state.show(.foldersChanged)
            guard hadFolders == folders.all.isEmpty else { return }
            for entry in state.shownEntries where entry.hasDocument { state.show(.nearby(.changed(entry))) }
        }
    }

    /// Checks that other devices could open the files that an activity names.
    ///
    /// The document of the activity may be moved into a synchronised folder later; any other file has to be in one
    /// already. Takes two seconds at most, outside the engine's mutex.
    ///
    /// - Returns: why the document cannot be opened elsewhere now; nil when it can, and for an activity without a
    ///   document.
    /// - Throws: ``HandoffError`` with `documentNotShared`, `documentMissing` or `invalidDocument`.
    func documentProblem(of activity: Activity) throws(HandoffError) -> String? {
        let folders = folders
        do throws(FolderError) {
            try folders.check(activity)
            return try folders.documentFault(of: activity)?.message
        } catch {
            throw HandoffError(error)
        }
    }

    private func change(_ body: (inout AppRegistry) -> Void) {
        engine.change { state, now in
            var apps = state.desktop.installedApps
            body(&apps)
            guard state.desktop.setApps(apps, state.rules) else { return }
            state.origin.setTeams(apps.teams, at: now)
            state.show(.appsChanged)
            for entry in state.shownEntries { state.show(.nearby(.changed(entry))) }
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
