import DBus
import HandoffBus
import HandoffCore
import HandoffModel
import HandoffWire

/// Fetches activities for programs that show them, or that go on with them by themselves.
struct NearbyFetching: Sendable {
    let engine: Engine
    let fetcher: ActivityFetcher
    let documents: DocumentTracker
    /// The connection to those who observe a continuation.
    let connection: Connection

    /// Returns the activity of an entry; if its device shows another one by then, and the caller wants what it shows, that
    /// one.
    ///
    /// - Throws: ``HandoffError`` or `RadioError` that explains the failure and what to do.
    func fetch(_ entry: NearbyEntry, _ options: FetchOptions) async throws -> FetchedActivity {
        try await engine.nearby.following(entry, if: options.takesCurrent) { entry in
            try await fetch(entry, for: options.purpose)
        }
    }

    private func fetch(_ entry: NearbyEntry, for purpose: FetchOptions.Purpose) async throws -> FetchedActivity {
        switch purpose {
        case .preview: return try await local(entry, for: .preview)
        case .freshPreview: return try await local(entry, for: .preview(isFresh: true))
        case .take:
            let take = TakeID.random()
            return try await taking(entry, take) { try await local(entry, for: .take(take)) }
        }
    }

    /// Runs `body`, with which a program takes the activity of an entry; shows and reports how it ended.
    private func taking(
        _ entry: NearbyEntry,
        _ take: TakeID,
        _ body: () async throws -> FetchedActivity
    ) async throws -> FetchedActivity {
        func show(_ event: NearbyActivityEvent) {
            connection.emit(event.signal(of: HandoffName.nearbyActivity(entry.id.rawValue)))
        }
        show(.continuationStarted(application: nil))
        do {
            let fetched = try await body()
            engine.takes.end(take, .continued(.app))
            show(.continued(ContinuationResult(outcome: "app", application: "")))
            return fetched
        } catch {
            let failure = error as? HandoffError
            engine.takes.end(take, .failed(failure.map { TakeOutcome.Reason($0.code) } ?? .cancelled))
            let name = failure.map { HandoffErrorName($0.code) } ?? .cancelled
            show(.continuationFailed(name, message: failure?.message ?? "The fetch was cancelled."))
            throw error
        }
    }

    /// Returns the activity of an entry in the form for a program on this device.
    private func local(_ entry: NearbyEntry, for purpose: FetchRequest.Purpose) async throws -> FetchedActivity {
        let activity = try documents.local(try await fetcher.fetch(entry.id, for: purpose))
        let continuation = ContinuationID(of: activity, from: entry.device)
        return FetchedActivity(activity, continuation: continuation?.description)
    }
}
