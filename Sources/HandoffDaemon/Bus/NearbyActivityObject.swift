import DBus
import HandoffBus
import HandoffCore
import HandoffModel

/// Implements `NearbyActivity1` for one entry of the engine.
struct NearbyActivityObject: NearbyActivityHandler {
    let objects: BusObjects
    let entry: NearbyEntry

    private var engine: Engine { objects.engine }
    private var path: ObjectPath { HandoffName.nearbyActivity(entry.id.rawValue) }

    var description: NearbyActivityDescription {
        // The object may be called once more after the entry was removed.
        engine.nearby.describe((try? engine.nearby.entry(entry.id)) ?? entry)
    }

    func fetch(by caller: Caller, _ options: FetchOptions) -> @Sendable () async throws -> FetchedActivity {
        let request = objects.requests.begin(by: caller, about: path.description)
        return { [objects, entry] in
            let fetching = NearbyFetching(
                engine: objects.engine,
                fetcher: objects.fetcher,
                documents: objects.documents,
                connection: objects.connection
            )
            return try await request.whileWanted(on: objects.connection) { try await fetching.fetch(entry, options) }
        }
    }

    func `continue`(
        by caller: Caller,
        _ options: ContinuationOptions
    ) -> @Sendable () async throws -> ContinuationResult {
        let request = objects.requests.begin(by: caller, about: path.description)
        return { [objects, entry] in
            objects.notifications.continued(entry.id)
            return try await request.withAbandonment(on: objects.connection) { abandonment in
                try await objects.continuations.continueEntry(entry.id, options, unless: abandonment)
            }
        }
    }

    func cancel(by client: BusName) {
        objects.requests.cancel(by: client, about: path.description)
    }
}
