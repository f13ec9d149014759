import DBus
import HandoffApps
import HandoffBus
import HandoffCore
import HandoffModel
import Logging

/// Carries out continuations over one connection to the bus.
struct Continuer: Sendable {
    let engine: Engine
    let fetcher: any Fetching
    let connection: Connection
    let desk: ContinuationDesk
    let journal: ContinuationJournal
    let apps: AppService
    let logger: Logger

    /// How long an app may take to be started and to take in the announcement.
    private static let announceLimit = Duration.seconds(10)

    /// One continuation.
    private struct Job: Sendable {
        let id: Continuations.ID
        let entry: NearbyEntry
        let type: ActivityType?
        let app: App?
        let delivery: AppDelivery
    }

    /// Hands an activity over to what opens it here.
    ///
    /// - Throws: ``HandoffError`` or `RadioError` that says why not and what to do.
    func proceed(with id: NearbyEntry.ID, _ options: ContinuationOptions) async throws -> ContinuationResult {
        let entry = try engine.entry(id)
        let (type, opener) = engine.opener(of: entry)
        guard opener != .none else { throw Self.notContinuable }
        let app: App? = if case .app(let app) = opener { app } else { nil }
        let device = engine.read { $0.devices[entry.device]?.name.rawValue } ?? entry.device.description
        let (job, actions) = desk.begin(hasApp: app != nil, announces: app?.entrance == .bus)
        defer {
            desk.end(job)
            journal.leave(job)
        }
        let delivery = AppDelivery(
            connection: connection,
            apps: apps,
            deviceName: device,
            device: entry.device,
            options: options
        )
        return try await carryOut(
            Job(id: job, entry: entry, type: type, app: app, delivery: delivery),
            actions
        )
    }

    /// Tells the apps that a daemon before this one, or a bus before this one, has left waiting.
    func reportLeft() {
        for entry in journal.takeLeft() {
            guard let type = try? ActivityType(entry.type), let calls = try? ApplicationCalls(id: entry.app) else {
                continue
            }
            logger.notice("an app is told that its activity does not come", metadata: ["app": "\(entry.app)"])
            connection.send(calls.didFail(type, .cancelled, "handoffd was restarted meanwhile; try again."))
        }
    }

    private func carryOut(
        _ job: Job,
        _ actions: AsyncStream<Continuations.Action>
    ) async throws -> ContinuationResult {
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            for await action in actions {
                if case .finish(let result) = action { return try self.result(result, job) }
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
                if announcement == .impossible { journal.remove(id) }
                desk.note(id) { $0.announced(id, announcement) }
            }
        case .fetch: group.addTask { await fetch(job) }
        case .handOver(let activity):
            guard let app = job.app else { return }
            // From here on the app gets the activity, and never an error besides.
            journal.remove(id)
            group.addTask {
                let reception = await job.delivery.handOver(activity, to: app)
                desk.note(id) { $0.handedOver(id, reception) }
            }
        case .reportFailure(let error):
            guard let app = job.app, let type = job.type else { return }
            journal.remove(id)
            job.delivery.reportFailure(of: type, to: app, HandoffErrorName(error.code), error.message)
        case .openElsewhere(let activity):
            group.addTask {
                let error = await job.delivery.openWebpage(of: activity)
                desk.note(id) { $0.openedElsewhere(id, error) }
            }
        case .finish: break
        }
    }

    private func fetch(_ job: Job) async {
        do {
            let activity = try await fetcher.fetch(job.entry.id)
            let isForApp = job.app.map { app in
                app.isOf(team: activity.teamID, type: activity.type)
                    && (activity.webpageURL != nil || !app.needsWebpage)
            }
            desk.note(job.id) { $0.fetched(job.id, activity, isForApp: isForApp ?? false) }
        } catch let error as HandoffError {
            desk.note(job.id) { $0.failed(job.id, error) }
        } catch is CancellationError {
            // The continuation has ended, or the bus is gone; then the journal knows what is left to do.
            return
        } catch {
            desk.note(job.id) { $0.failed(job.id, HandoffError(.radioUnavailable, "\(error)")) }
        }
    }

    private func result(
        _ result: Result<Continuations.Outcome, HandoffError>,
        _ job: Job
    ) throws -> ContinuationResult {
        switch try result.get() {
        case .app: ContinuationResult(outcome: "app", application: job.app?.id ?? "")
        case .browser: ContinuationResult(outcome: "browser", application: "")
        }
    }

    private static let notContinuable = HandoffError(
        .notContinuable,
        "No app here claims this type of activity, and it has no web page; see `handoffctl apps` for what apps claim."
    )
}
