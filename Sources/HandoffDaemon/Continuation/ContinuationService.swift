import AsyncSupport
import DBus
import HandoffApps
import HandoffBus
import HandoffCore
import HandoffModel
import HandoffRadio
import HandoffWire
import Logging
import Synchronization

/// Performs continuations over one connection to the bus.
struct ContinuationService: Sendable {
    let engine: Engine
    let fetcher: ActivityFetcher
    let documents: DocumentTracker
    /// The connection to the apps.
    let connection: Connection
    /// The connection to those who observe a continuation.
    let observers: Connection
    let journal: ContinuationJournal
    let apps: AppTracker
    let logger: Logger
    /// The continuation of which the user sees nothing yet.
    let progress = ContinuationProgress()
    private let starter: AppStarter
    private let newest = NewestContinuation()

    /// The time limit for an app to start and to handle the announcement.
    private static let announceLimit = Duration.seconds(10)

    /// One continuation, as far as it does not change.
    private struct Job: Sendable {
        let id: ContinuationJournal.ID
        /// The name of this attempt for the origin.
        let take = TakeID.random()
        let entry: NearbyEntry
        let type: ActivityType?
        /// The app that gets an announcement before the activity was fetched; nil for none.
        let app: App?
        let delivery: AppDelivery
        /// What the user waits for while no app shows it.
        let wait = Wait()

        final class Wait: Sendable {
            let current = Mutex<ContinuationProgress.Wait?>(nil)
        }
    }

    init(
        engine: Engine,
        fetcher: ActivityFetcher,
        documents: DocumentTracker,
        connection: Connection,
        observers: Connection,
        journal: ContinuationJournal,
        apps: AppTracker,
        logger: Logger
    ) {
        self.engine = engine
        self.fetcher = fetcher
        self.documents = documents
        self.connection = connection
        self.observers = observers
        self.journal = journal
        self.apps = apps
        self.logger = logger
        starter = AppStarter(connection: connection, apps: apps)
    }

    /// Fetches an activity and passes it to its launch target; supersedes a continuation that is still being fetched.
    ///
    /// - Parameters:
    ///   - id: the entry.
    ///   - options: the caller's.
    ///   - abandonment: returns the reason when the caller does not want the activity any more; this has no effect once
    ///     the activity has arrived.
    /// - Throws: ``HandoffError`` or `RadioError` that explains the failure and what to do.
    func continueEntry(
        _ id: NearbyEntry.ID,
        _ options: ContinuationOptions,
        unless abandonment: @escaping PendingRequest.Abandonment = { try await untilCancelled() }
    ) async throws -> ContinuationResult {
        let entry = try engine.nearby.entry(id)
        return try await engine.nearby.following(entry, if: options.takesCurrent) { current in
            var options = options
            // The user has agreed to the document of the first entry only.
            if current.id != id { options.opensPrograms = false }
            return try await continueOnce(current, options, unless: abandonment)
        }
    }

    private func continueOnce(
        _ entry: NearbyEntry,
        _ options: ContinuationOptions,
        unless abandonment: @escaping PendingRequest.Abandonment
    ) async throws -> ContinuationResult {
        // An entry without a known launch target may still be a document, which only its origin knows.
        let (type, launchTarget) = engine.nearby.advertisedTarget(of: entry)
        // Which app opens a page depends on its address, which only the activity has.
        let isOpen = type == .browsingWeb && engine.desktop.apps.opensSites
        let app: App? =
            if case .app(let app) = launchTarget, app.launchMethod == .bus, !isOpen { app } else { nil }
        let delivery = AppDelivery(
            connection: connection,
            apps: apps,
            starter: starter,
            deviceName: engine.trust.device(entry.device)?.name.rawValue ?? entry.device.description,
            device: entry.device,
            entry: entry.id,
            offersDocument: entry.hasDocument || !entry.hasWebpage,
            options: options
        )
        let job = Job(id: journal.makeID(), entry: entry, type: type, app: app, delivery: delivery)
        if app == nil { showWait(of: job) }
        defer {
            hideWait(of: job)
            journal.leave(job.id)
        }
        emit(.continuationStarted(application: app?.id), of: entry)
        return try await run(job, unless: abandonment)
    }

    /// Cancels the continuation that was begun last, unless its activity has arrived.
    func cancelNewest() {
        newest.cancel()
    }

    private func showWait(of job: Job) {
        job.wait.current.withLock { $0 = progress.begin(job.delivery.deviceName) }
    }

    private func hideWait(of job: Job) {
        if let wait = job.wait.current.withLock({ $0 }) { progress.end(wait) }
    }

    /// Notifies the apps that wait for an activity since a previous run of the daemon or a previous bus connection.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    func reportLeft() async throws {
        for entry in try await journal.takeLeft() {
            guard let type = try? ActivityType(entry.type), let calls = try? ApplicationCalls(id: entry.app) else {
                continue
            }
            logger.notice(
                "notified an app that its activity will not arrive",
                metadata: ["event": "continuation.cancelled", "app": "\(entry.app)"]
            )
            connection.send(calls.didFail(type, .cancelled, "handoffd was restarted meanwhile; try again."))
        }
    }

    /// Performs one continuation, and reports its end to the origin.
    private func run(
        _ job: Job,
        unless abandonment: @escaping PendingRequest.Abandonment
    ) async throws -> ContinuationResult {
        var machine = Continuation(announcedTo: job.app?.id)
        let result: Result<Continuation.Outcome, HandoffError>
        do {
            result = try await perform(&machine, job, unless: abandonment)
        } catch {
            // The bus or the daemon ends. Whatever is being given the activity may go on with it.
            guard !machine.isHandingOver else {
                engine.takes.abandon(job.take)
                throw Self.unknownOutcome
            }
            engine.takes.end(job.take, .failed(.cancelled))
            emit(.continuationFailed(.cancelled, message: "handoffd or the bus has stopped."), of: job.entry)
            await withdrawAnnouncement(job)
            throw error
        }
        engine.takes.end(job.take, TakeOutcome(result, opening: machine.fallback))
        switch result {
        case .success(let outcome):
            let result = ContinuationResult(outcome)
            emit(.continued(result), of: job.entry)
            return result
        case .failure(let error):
            emit(.continuationFailed(HandoffErrorName(error.code), message: error.message), of: job.entry)
            throw error
        }
    }

    private func emit(_ event: NearbyActivityEvent, of entry: NearbyEntry) {
        observers.emit(event.signal(of: HandoffName.nearbyActivity(entry.id.rawValue)))
    }

    /// Tells an app that its announced activity is not coming, while the daemon stops and is still on the bus.
    ///
    /// On the same connection: if the bus is just starting the app, it passes on both calls or neither. The next run of the
    /// daemon would only know that it has sent the announcement. After the loss of the bus, the next connection tells the app.
    private func withdrawAnnouncement(_ job: Job) async {
        guard let app = job.app, let type = job.type, await connection.isAnswered(), await journal.withdraw(job.id)
        else { return }
        job.delivery.reportFailure(of: type, to: app, .cancelled, "handoffd was stopped; try again.")
    }

    private static let unknownOutcome = HandoffErrorName.cancelled.reply(
        "The daemon is stopping while the activity is passed on: it may have been continued, so look before you try again."
    )

    /// Performs the actions of one continuation until it ends.
    private func perform(
        _ machine: inout Continuation,
        _ job: Job,
        unless abandonment: @escaping PendingRequest.Abandonment
    ) async throws -> Result<Continuation.Outcome, HandoffError> {
        let end = newest.begin()
        return try await withThrowingTaskGroup(of: Continuation.Event.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await end.value() }
            group.addTask { .failed(try await abandonment()) }
            var actions = machine.firstActions
            while true {
                for action in actions {
                    if case .finish(let result) = action { return result }
                    try await begin(action, job, &group)
                }
                guard let event = try await group.next() else { throw CancellationError() }
                actions = machine.handle(event)
            }
        }
    }

    /// Performs an action in a child task, which returns the event that follows from it.
    private func begin(
        _ action: Continuation.Action,
        _ job: Job,
        _ group: inout ThrowingTaskGroup<Continuation.Event, any Error>
    ) async throws {
        switch action {
        case .announce: group.addTask { try await announce(job) }
        case .fetch:
            emit(.continuing(.fetching), of: job.entry)
            group.addTask { try await fetch(job) }
        case .handOver(let activity, let app):
            emit(.continuing(.opening(application: app)), of: job.entry)
            group.addTask { try await handOver(activity, to: app, job) }
        case .openElsewhere(let activity, let id):
            let app = id.flatMap { id in engine.desktop.apps.apps.first { $0.id == id } }
            hideWait(of: job)
            emit(.continuing(.opening(application: "")), of: job.entry)
            group.addTask { .openedElsewhere(await job.delivery.openElsewhere(activity, after: app)) }
        case .reportFailure(let error):
            guard let app = job.app, let type = job.type else { return }
            try await journal.remove(job.id)
            job.delivery.reportFailure(of: type, to: app, HandoffErrorName(error.code), error.message)
        case .finish: break
        }
    }

    private func announce(_ job: Job) async throws -> Continuation.Event {
        guard let app = job.app, let type = job.type else { return .announced(.unreachable) }
        try await journal.insert(ContinuationJournal.Entry(app: app.id, type: type.rawValue), job.id)
        let (announcement, showsProgress) = await job.delivery.announce(type, to: app, Self.announceLimit)
        if announcement == .unreachable { try await journal.remove(job.id) }
        if !showsProgress { showWait(of: job) }
        return .announced(announcement)
    }

    /// Fetches the activity, and waits for its document.
    ///
    /// - Throws: `CancellationError` when the continuation has ended, or the bus or the daemon does; then the journal
    ///   contains what is left to do.
    private func fetch(_ job: Job) async throws -> Continuation.Event {
        do {
            let fetched = try await fetcher.fetch(job.entry.id, for: .take(job.take))
            let activity = try await documents.waitForDocuments(of: fetched) { path in
                emit(.continuing(.synchronising(document: path)), of: job.entry)
            }
            return .fetched(activity, for: engine.desktop.apps.recipients(of: activity).map(\.id))
        } catch let error as HandoffError {
            return .failed(error)
        } catch is CancellationError {
            throw CancellationError()
        } catch let error as RadioError {
            return .failed(HandoffError(error))
        } catch {
            return .failed(HandoffError(.radioUnavailable, "\(error)"))
        }
    }

    /// Tells an app that a page comes that is here already, as it was not known before which app gets it; does nothing when
    /// another app was told.
    ///
    /// - Returns: false if it cannot be started.
    private func announceLate(to app: App, _ job: Job) async throws -> Bool {
        guard app.launchMethod == .bus, job.app == nil else { return true }
        try await journal.insert(
            ContinuationJournal.Entry(app: app.id, type: ActivityType.browsingWeb.rawValue),
            job.id
        )
        let (announcement, showsProgress) = await job.delivery.announce(.browsingWeb, to: app, Self.announceLimit)
        if showsProgress { hideWait(of: job) }
        if announcement == .unreachable { try await journal.remove(job.id) }
        return announcement == .delivered
    }

    private func handOver(
        _ activity: Activity,
        to id: Continuation.AppID,
        _ job: Job
    ) async throws -> Continuation.Event {
        let registry = engine.desktop.apps
        guard let app = registry.apps.first(where: { $0.id == id }) else {
            try await journal.remove(job.id)
            return .handedOver(.failed("\(id) was removed meanwhile."))
        }
        var activity = activity
        if registry.siteApps(for: activity).contains(app), let page = AppRegistry.siteActivity(of: activity) {
            activity = page
        } else if activity.type == .browsingWeb, job.app != app, !registry.typeRecipients(of: activity).contains(app) {
            // Its site has revoked the approval in this moment.
            return .handedOver(.failed("\(id) does not continue this page any more."))
        }
        if activity.type == .browsingWeb, try await !announceLate(to: app, job) {
            return .handedOver(.failed("\(id) cannot be started."))
        }
        // From here on, the app gets the activity and never an error in addition.
        try await journal.remove(job.id)
        // A program shows itself when it starts.
        if app.launchMethod != .bus { hideWait(of: job) }
        return .handedOver(await job.delivery.handOver(activity, to: app))
    }
}

extension ContinuationResult {
    /// Creates the result of a continuation from the outcome of a launch.
    fileprivate init(_ outcome: Continuation.Outcome) {
        switch outcome {
        case .app(let app): self.init(outcome: "app", application: app)
        case .browser: self.init(outcome: "browser", application: "")
        case .document(let app): self.init(outcome: "document", application: app)
        }
    }
}
