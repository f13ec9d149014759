package import HandoffModel

/// The continuations on this device, each from the user's request to its end; at most one of them is being fetched.
///
/// Guarantee: an app that received an announcement gets the activity or an error, exactly one of them, and not before
/// it has processed the announcement. It gets neither if it could not be started. If the activity turns out to be for
/// another app, that app gets it without an announcement, since there is nothing to wait for any more.
///
/// Every `Action` is followed by a call that reports its result, so that no continuation remains indefinitely; the
/// service that performs the action limits how long that may take.
package struct Continuations: Sendable {
    /// The id of a continuation within one run of the daemon; never reused.
    package typealias ID = UInt64
    /// An app of this computer, by its id.
    package typealias AppID = String

    /// An action to perform for a continuation.
    package enum Action: Hashable, Sendable {
        /// Tells the expected app that an activity is coming; then call ``Continuations/announced(_:_:)``.
        case announce
        /// Fetches the activity from its origin; then call ``Continuations/fetched(_:_:)`` or
        /// ``Continuations/failed(_:_:)``.
        case fetch
        /// Gives the activity to an app; then call ``Continuations/handedOver(_:_:)``.
        case handOver(Activity, to: AppID)
        /// Tells the expected app that the activity is not coming.
        case reportFailure(HandoffError)
        /// Opens the web page or the document; then call ``Continuations/openedElsewhere(_:_:)``.
        case openElsewhere(Activity)
        /// Ends the continuation: reports the result to the caller, and cancels what is in progress.
        case finish(Result<Outcome, HandoffError>)
    }

    /// The result of an announcement.
    package enum Announcement: Hashable, Sendable {
        /// The app has received it, or may have received it.
        case delivered
        /// The app is not running and cannot be started: it has received nothing.
        case unreachable
    }

    /// An app's response to the activity.
    package enum Response: Hashable, Sendable {
        /// The app continues it.
        case accepted
        /// The app declined it.
        case declined
        /// The app could not be started, crashed, or did not answer.
        case failed(String)
    }

    /// Where an activity was continued.
    package enum Outcome: Hashable, Sendable {
        /// In an app.
        case app(AppID)
        /// As a web page in the browser.
        case browser
        /// As a document, in an app that opens it.
        case document(AppID)
    }

    private enum Announcing: Sendable {
        /// There is no app to notify before the activity has arrived.
        case notNeeded
        case running(AppID)
        case delivered(AppID)
        /// The app is not running and cannot be started.
        case unreachable(AppID)

        var isOver: Bool { if case .running = self { false } else { true } }
        /// The app that has received the announcement.
        var announcedApp: AppID? { if case .delivered(let app) = self { app } else { nil } }
        /// The app that cannot be started.
        var unreachableApp: AppID? { if case .unreachable(let app) = self { app } else { nil } }
    }

    private enum Fetch: Sendable {
        case running
        case arrived(Activity, for: [AppID])
        case failed(HandoffError)
    }

    private enum Phase: Sendable {
        /// The expected app, if there is one, is being notified, and the activity is being fetched.
        case preparing(Announcing, Fetch)
        /// An app has been given the activity.
        case receiving(Activity, by: AppID)
        /// The web page or the document is being opened.
        case opening
    }

    private var phases: [ID: Phase] = [:]
    private var nextID: ID = 1

    package init() {}

    /// How many continuations have not ended.
    package var count: Int { phases.count }

    /// Begins a continuation, and cancels the one that is still being fetched.
    ///
    /// - Parameter announcedTo: the expected app, if it can be notified before the activity has arrived.
    /// - Returns: its id, and the actions for it and for the one that it cancels.
    package mutating func begin(announcedTo app: AppID? = nil) -> (id: ID, actions: [(ID, Action)]) {
        var actions: [(ID, Action)] = []
        for id in phases.keys.sorted() {
            actions += failed(id, Self.superseded).map { (id, $0) }
        }
        let id = nextID
        nextID += 1
        phases[id] = .preparing(app.map(Announcing.running) ?? .notNeeded, .running)
        actions += (app == nil ? [.fetch] : [.announce, .fetch]).map { (id, $0) }
        return (id, actions)
    }

    /// Handles the result of `Action/announce`.
    package mutating func announced(_ id: ID, _ announcement: Announcement) -> [Action] {
        guard case .preparing(.running(let app), let fetch) = phases[id] else { return [] }
        phases[id] = .preparing(announcement == .delivered ? .delivered(app) : .unreachable(app), fetch)
        return advance(id)
    }

    /// Handles the arrival of the activity.
    ///
    /// - Parameter apps: the apps that may receive it, in order of preference.
    package mutating func fetched(_ id: ID, _ activity: Activity, for apps: [AppID]) -> [Action] {
        end(id, .arrived(activity, for: apps))
    }

    /// Handles the failure of the fetch: an error of the origin, or a cancellation by the user.
    ///
    /// It has no effect once the activity has arrived.
    package mutating func failed(_ id: ID, _ error: HandoffError) -> [Action] {
        end(id, .failed(error))
    }

    /// Handles the result of `Action/handOver(_:)`.
    package mutating func handedOver(_ id: ID, _ response: Response) -> [Action] {
        guard case .receiving(let activity, let app) = phases[id] else { return [] }
        switch response {
        case .accepted: return finish(id, .success(.app(app)))
        case .declined, .failed: return openElsewhere(id, activity, or: Self.error(response))
        }
    }

    /// Handles the result of `Action/openElsewhere(_:)`.
    package mutating func openedElsewhere(_ id: ID, _ result: Result<Outcome, HandoffError>) -> [Action] {
        guard case .opening = phases[id] else { return [] }
        return finish(id, result)
    }

    /// Drops a continuation whose bus connection has ended, and with it the app and the caller.
    package mutating func forget(_ id: ID) {
        phases[id] = nil
    }

    private mutating func end(_ id: ID, _ result: Fetch) -> [Action] {
        guard case .preparing(let announcing, .running) = phases[id] else { return [] }
        phases[id] = .preparing(announcing, result)
        return advance(id)
    }

    /// Continues once the announcement is complete and the fetch has ended.
    private mutating func advance(_ id: ID) -> [Action] {
        guard case .preparing(let announcing, let fetch) = phases[id], announcing.isOver else { return [] }
        let announcedApp = announcing.announcedApp
        switch fetch {
        case .running: return []
        case .failed(let error):
            return (announcedApp == nil ? [] : [.reportFailure(error)]) + finish(id, .failure(error))
        case .arrived(let activity, let apps):
            return deliver(
                id,
                activity,
                to: apps.filter { $0 != announcing.unreachableApp },
                announcedApp: announcedApp
            )
        }
    }

    /// Gives the activity to the announced app, otherwise to another app, otherwise to none.
    private mutating func deliver(_ id: ID, _ activity: Activity, to apps: [AppID], announcedApp: AppID?) -> [Action] {
        if let announcedApp, apps.contains(announcedApp) {
            phases[id] = .receiving(activity, by: announcedApp)
            return [.handOver(activity, to: announcedApp)]
        }
        guard let other = apps.first else {
            let report: [Action] = announcedApp == nil ? [] : [.reportFailure(Self.notForApp)]
            return report + openElsewhere(id, activity, or: Self.notForApp)
        }
        phases[id] = .receiving(activity, by: other)
        return (announcedApp == nil ? [] : [.reportFailure(Self.forOtherApp)]) + [.handOver(activity, to: other)]
    }

    private mutating func openElsewhere(_ id: ID, _ activity: Activity, or error: HandoffError) -> [Action] {
        guard activity.webpageURL != nil || activity.documentURL != nil else { return finish(id, .failure(error)) }
        phases[id] = .opening
        return [.openElsewhere(activity)]
    }

    private mutating func finish(_ id: ID, _ result: Result<Outcome, HandoffError>) -> [Action] {
        phases[id] = nil
        return [.finish(result)]
    }

    private static let superseded = HandoffError(.userCancelled, "Another activity is being continued instead.")

    private static let notForApp = HandoffError(
        .notContinuable,
        "No app here continues this activity, and it has neither a web page nor a document; "
            + "see `handoffctl apps` for what apps claim."
    )

    private static let forOtherApp = HandoffError(
        .notContinuable,
        "The activity is for apps of another team, and one of those continues it."
    )

    private static func error(_ response: Response) -> HandoffError {
        switch response {
        case .failed(let reason): HandoffError(.appFailed, "The app could not continue the activity: \(reason)")
        case .accepted, .declined:
            HandoffError(.notContinuable, "The app declined this activity, and the activity has no web page.")
        }
    }
}
