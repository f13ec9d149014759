import DBus
import HandoffApps
import HandoffBus
import HandoffCore
import HandoffModel
import Logging

/// Performs continuations over one connection to the bus.
struct ContinuationService: Sendable {
    let engine: Engine
    let fetcher: ActivityFetcher
    let documents: DocumentTracker
    let connection: Connection
    let store: ContinuationStore
    let journal: ContinuationJournal
    let apps: AppTracker
    let logger: Logger

    /// The time limit for an app to start and to handle the announcement.
    private static let announceLimit = Duration.seconds(10)

    /// A continuation.
    private struct Job: Sendable {
        let id: Continuations.ID
        let entry: NearbyEntry
        let type: ActivityType?
        /// The app that gets an announcement before the activity was fetched; nil for none.
        let app: App?
        let delivery: AppDelivery
    }

    /// Fetches an activity and passes it to its launch target.
    ///
    /// - Throws: ``HandoffError`` or `RadioError` that explains the failure and what to do.
    func continueEntry(_ id: NearbyEntry.ID, _ options: ContinuationOptions) async throws -> ContinuationResult {
        let entry = try engine.entry(id)
        // An entry without a known launch target may still be a document, which only its origin knows.
        let (type, launchTarget) = engine.launchTarget(of: entry)
        let app: App? = if case .app(let app) = launchTarget, app.launchMethod == .bus { app } else { nil }
        let device = engine.read { $0.devices[entry.device]?.name.rawValue } ?? entry.device.description
        let (job, actions) = store.begin(announcedTo: app?.id)
        defer {
            store.end(job)
            journal.leave(job)
        }
        let delivery = AppDelivery(
            connection: connection,
            apps: apps,
            deviceName: device,
            device: entry.device,
            options: options
        )
        return try await perform(
            Job(id: job, entry: entry, type: type, app: app, delivery: delivery),
            actions
        )
    }

    /// Notifies the apps that wait for an activity since a previous run of the daemon or a previous bus connection.
    func reportLeft() {
        for entry in journal.takeLeft() {
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

    private func perform(
        _ job: Job,
        _ actions: AsyncStream<Continuations.Action>
    ) async throws -> ContinuationResult {
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            for await action in actions {
                if case .finish(let result) = action { return ContinuationResult(try result.get()) }
                begin(action, job, &group)
            }
            throw CancellationError()
        }
    }

    private func begin(_ action: Continuations.Action, _ job: Job, _ group: inout ThrowingTaskGroup<Void, any Error>) {
        let id = job.id
        switch action {
        case .announce:
            guard let app = job.app, let type = job.type else { return }
            journal.insert(ContinuationJournal.Entry(app: app.id, type: type.rawValue), id)
            group.addTask {
                let announcement = await job.delivery.announce(type, to: app, Self.announceLimit)
                if announcement == .unreachable { journal.remove(id) }
                store.note(id) { $0.announced(id, announcement) }
            }
        case .fetch: group.addTask { await fetch(job) }
        case .handOver(let activity, to: let name):
            // From here on, the app gets the activity and never an error in addition.
            journal.remove(id)
            group.addTask {
                let response = await handOver(activity, to: name, job)
                store.note(id) { $0.handedOver(id, response) }
            }
        case .reportFailure(let error):
            guard let app = job.app, let type = job.type else { return }
            journal.remove(id)
            job.delivery.reportFailure(of: type, to: app, HandoffErrorName(error.code), error.message)
        case .openElsewhere(let activity):
            group.addTask {
                let result = await job.delivery.openElsewhere(activity)
                store.note(id) { $0.openedElsewhere(id, result) }
            }
        case .finish: break
        }
    }

    private func fetch(_ job: Job) async {
        do {
            let activity = try await documents.waitForDocuments(of: try await fetcher.fetch(job.entry.id))
            let apps = engine.read { $0.apps.recipients(of: activity) }
            store.note(job.id) { $0.fetched(job.id, activity, for: apps.map(\.id)) }
        } catch let error as HandoffError {
            store.note(job.id) { $0.failed(job.id, error) }
        } catch is CancellationError {
            // The continuation has ended, or the bus is gone; in the second case, the journal contains what is left to
            // do.
            return
        } catch {
            store.note(job.id) { $0.failed(job.id, HandoffError(.radioUnavailable, "\(error)")) }
        }
    }

    private func handOver(
        _ activity: Activity,
        to name: Continuations.AppID,
        _ job: Job
    ) async -> Continuations.Response {
        guard let app = engine.read({ $0.apps.apps.first { $0.id == name } }) else {
            return .failed("\(name) was removed meanwhile.")
        }
        return await job.delivery.handOver(activity, to: app)
    }
}

extension ContinuationResult {
    /// Creates the result of a continuation from the outcome of a launch.
    fileprivate init(_ outcome: Continuations.Outcome) {
        switch outcome {
        case .app(let app): self.init(outcome: "app", application: app)
        case .browser: self.init(outcome: "browser", application: "")
        case .document(let app): self.init(outcome: "document", application: app)
        }
    }
}
