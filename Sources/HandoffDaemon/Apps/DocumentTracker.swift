import AsyncSupport
import Epoll
import HandoffCore
import HandoffModel
import Logging
import SystemPackage

/// Converts the documents of this device's activities to addresses in synchronised folders, and finds the documents of
/// activities from other devices.
struct DocumentTracker: Service {
    let engine: Engine
    let logger: Logger

    /// The time limit for a document to be synchronised.
    var timeout = Duration.seconds(20)
    /// How long a file is awaited that an activity names beside its document: a synchroniser brings both within a moment.
    private static let secondaryLimit = Duration.seconds(2)
    /// The debounce time after a change: a program that saves a file writes it, renames it and removes another.
    private static let debounceTime = Duration.milliseconds(50)
    /// The time until a file system that did not answer is tried again.
    private static let retryInterval = Duration.seconds(30)
    /// The polling interval for documents where the kernel does not report changes.
    private static let rescanInterval = Duration.seconds(10)

    func run() async throws {
        try await follow()
    }

    /// Returns a remote activity with its documents as files of this device, which need not exist yet.
    ///
    /// - Throws: ``HandoffError`` with `noSuchFolder`, `documentNotShared`, `documentMissing` or `peerMisbehaved`.
    func local(_ activity: Activity) throws(HandoffError) -> Activity {
        do {
            return try engine.desktop.folders.local(activity).activity
        } catch {
            throw HandoffError(error)
        }
    }

    /// Returns the same as soon as all its documents exist.
    ///
    /// - Parameter willWait: is called with the path of each document that does not exist yet.
    /// - Throws: ``HandoffError`` as ``local(_:)``, and with `documentMissing` for a document that does not arrive in
    ///   time.
    func waitForDocuments(
        of activity: Activity,
        _ willWait: (String) -> Void = { _ in }
    ) async throws -> Activity {
        do {
            let (local, locations) = try engine.desktop.folders.local(activity)
            let document = local.documentURL
            for location in locations where try location.url.description == document && !location.exists {
                willWait(location.path.string)
                try await wait(for: location)
            }
            try await waitBriefly(for: locations.filter { $0.url.description != document })
            // What has come may be spelled in another way here.
            return try engine.desktop.folders.local(activity).activity
        } catch let fault as FolderError {
            throw HandoffError(fault)
        }
    }

    private func wait(for location: FileLocation) async throws {
        logger.info(
            "waiting for a document to be synchronised",
            metadata: ["event": "document.awaited"]
        )
        let timeout = timeout
        try await withTimeout(timeout, throwing: Self.missing(location, after: timeout)) {
            try await location.waitUntilExists()
        }
    }

    /// Waits for files that the activity names beside its document: the app can do without, or say what it lacks.
    private func waitBriefly(for locations: [FileLocation]) async throws {
        let absent = try locations.filter { try !$0.exists }
        guard !absent.isEmpty else { return }
        let all: Void? = try await withTimeout(Self.secondaryLimit) {
            for location in absent { try await location.waitUntilExists() }
        }
        guard all == nil else { return }
        logger.info(
            "a file that an activity names beside its document is not here",
            metadata: ["event": "document.absent"]
        )
    }

    private static func missing(_ location: FileLocation, after timeout: Duration) -> HandoffError {
        HandoffError(
            .documentMissing,
            "\(location.path) has not been synchronised within \(timeout.components.seconds) s; "
                + "check that the folder \(location.folder.id) is up to date, and try again."
        )
    }

    private func follow() async throws {
        var plan = engine.documents.current
        var obstacle: DirectoryWatch.Obstacle?
        while true {
            guard !plan.value.documents.isEmpty else {
                plan = try await engine.documents.changed(since: plan)
                continue
            }
            plan = try await change(after: plan, &obstacle)
        }
    }

    /// Checks all documents, and returns when they may have to be checked again.
    ///
    /// - Parameter obstacle: why the directories were not watched at the previous call; set to the present obstacle.
    private func change(
        after plan: CurrentValue<Engine.DocumentPlan>.Snapshot,
        _ obstacle: inout DirectoryWatch.Obstacle?
    ) async throws -> CurrentValue<Engine.DocumentPlan>.Snapshot {
        let files = plan.value.documents.mapValues { text in (try? SyncedFolders.file(text)) ?? nil }
        let directories = Set(files.values.compactMap { $0.map { FilePath(bytes: $0.path).removingLastComponent() } })
        // Created before the files are checked, so that no change in between is missed. The folders come first: below
        // one that does not answer, no directory is accessed.
        let wanted = plan.value.folders.all.map(\.path) + directories
        let answered = wanted.filter(\.isResponsive)
        let watch = DirectoryWatch(answered)
        logger.log(watch.obstacle, after: obstacle, of: "documents", every: Self.rescanInterval)
        obstacle = watch.obstacle
        let areChecked = files.map { id, file in check(file, of: id, in: plan.value.folders) }.allSatisfy(\.self)
        let isUnresponsive = !areChecked || answered.count < wanted.count
        let engine = engine
        return try await race {
            try await engine.documents.changed(since: plan)
        } _: {
            try await race {
                try await watch.changed(orAfter: Self.rescanInterval)
                try await sleep(for: Self.debounceTime)
            } _: {
                // No change is reported when a file system answers again.
                guard isUnresponsive else { try await untilCancelled() }
                try await sleep(for: Self.retryInterval)
            }
            return engine.documents.current
        }
    }

    /// Returns whether the file system has answered where the document is.
    private func check(_ file: FileURL?, of id: ActivityRegister.ID, in folders: SyncedFolders) -> Bool {
        guard let file else { return true }
        do throws(FolderError) {
            _ = try folders.location(of: file)
            engine.activities.setDocumentProblem(nil, of: id)
            return true
        } catch {
            engine.activities.setDocumentProblem(error.message, of: id)
            return error.code != .unresponsive
        }
    }
}
