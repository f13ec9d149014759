package import HandoffModel

/// The continuations on this device, each from a person's wish to its end; at most one of them is being fetched.
///
/// The promise: an app that was told that an activity is coming gets the activity or the error, exactly one of them, and not
/// before it has taken in the announcement. It is told neither where it could not be started. Where the activity turns out
/// to be for another app, that one gets it without an announcement, for there is nothing to wait for any more.
///
/// Everything that is asked for in an `Action` comes back as a call, however it ends, so that no continuation stays for
/// ever; how long that may take is up to whoever carries the action out.
package struct Continuations: Sendable {
    /// The name of a continuation inside one run of the daemon; never used twice.
    package typealias ID = UInt64
    /// An app of this computer, by its id.
    package typealias AppID = String

    /// What is to be done for a continuation.
    package enum Action: Hashable, Sendable {
        /// Tell the expected app that an activity is coming; then call ``Continuations/announced(_:_:)``.
        case announce
        /// Ask the origin; then call ``Continuations/fetched(_:_:)`` or ``Continuations/failed(_:_:)``.
        case fetch
        /// Give the activity to an app; then call ``Continuations/handedOver(_:_:)``.
        case handOver(Activity, to: AppID)
        /// Tell the expected app that the activity is not coming.
        case reportFailure(HandoffError)
        /// Open the web page or the document; then call ``Continuations/openedElsewhere(_:_:)``.
        case openElsewhere(Activity)
        /// Nothing more happens; whoever asked is told, and what is under way is given up.
        case finish(Result<Outcome, HandoffError>)
    }

    /// What became of an announcement.
    package enum Announcement: Hashable, Sendable {
        /// The app has it, or may have it.
        case delivered
        /// The app is not there, and cannot be started: it has heard nothing.
        case unreachable
    }

    /// What an app said to the activity.
    package enum Response: Hashable, Sendable {
        /// It goes on with it.
        case accepted
        /// It does not want it.
        case declined
        /// It could not be started, crashed, or has not answered.
        case failed(String)
    }

    /// Where an activity has gone.
    package enum Outcome: Hashable, Sendable {
        /// An app goes on with it.
        case app(AppID)
        /// Its web page is open.
        case browser
        /// Its document is open in an app.
        case document(AppID)
    }

    private enum Announcing: Sendable {
        /// There is nobody to tell before the activity is here.
        case notNeeded
        case running(AppID)
        case delivered(AppID)
        /// The app is not there.
        case unreachable(AppID)

        var isOver: Bool { if case .running = self { false } else { true } }
        /// The app that waits for what follows.
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
        /// The expected app, if there is one, is being told, and the activity being fetched.
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

    /// Begins a continuation, and gives up the one that is still being fetched.
    ///
    /// - Parameter announcedTo: the expected app, where it can be told before the activity is here.
    /// - Returns: its id, and what is to be done for it and for the one that it ends.
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

    /// Takes in what became of `Action/announce`.
    package mutating func announced(_ id: ID, _ announcement: Announcement) -> [Action] {
        guard case .preparing(.running(let app), let fetch) = phases[id] else { return [] }
        phases[id] = .preparing(announcement == .delivered ? .delivered(app) : .unreachable(app), fetch)
        return advance(id)
    }

    /// Takes in the activity.
    ///
    /// - Parameter apps: the apps that may have it, in the order in which they are chosen.
    package mutating func fetched(_ id: ID, _ activity: Activity, for apps: [AppID]) -> [Action] {
        end(id, .arrived(activity, for: apps))
    }

    /// Takes in that the activity does not come: the origin failed, or a person does not want it any more.
    ///
    /// It changes nothing once the activity is here.
    package mutating func failed(_ id: ID, _ error: HandoffError) -> [Action] {
        end(id, .failed(error))
    }

    /// Takes in what became of `Action/handOver(_:)`.
    package mutating func handedOver(_ id: ID, _ response: Response) -> [Action] {
        guard case .receiving(let activity, let app) = phases[id] else { return [] }
        switch response {
        case .accepted: return finish(id, .success(.app(app)))
        case .declined, .failed: return openElsewhere(id, activity, or: Self.error(response))
        }
    }

    /// Takes in what became of `Action/openElsewhere(_:)`.
    package mutating func openedElsewhere(_ id: ID, _ result: Result<Outcome, HandoffError>) -> [Action] {
        guard case .opening = phases[id] else { return [] }
        return finish(id, result)
    }

    /// Drops a continuation whose bus is gone, with its app and whoever asked.
    package mutating func forget(_ id: ID) {
        phases[id] = nil
    }

    private mutating func end(_ id: ID, _ result: Fetch) -> [Action] {
        guard case .preparing(let announcing, .running) = phases[id] else { return [] }
        phases[id] = .preparing(announcing, result)
        return advance(id)
    }

    /// Goes on once the app has been told and the fetch has ended.
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

    /// Gives the activity to the app that was told, else to another one, else to none.
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

    private static let superseded = HandoffError(.userCancelled, "Another activity is continued instead.")

    private static let notForApp = HandoffError(
        .notContinuable,
        "No app here continues this activity, and it has neither a web page nor a document; "
            + "see `handoffctl apps` for what apps claim."
    )

    private static let forOtherApp = HandoffError(
        .notContinuable,
        "The activity is for apps of another team, of which one continues it."
    )

    private static func error(_ response: Response) -> HandoffError {
        switch response {
        case .failed(let reason): HandoffError(.appFailed, "The app could not take the activity: \(reason)")
        case .accepted, .declined:
            HandoffError(.notContinuable, "The app does not want this activity, and it has no web page.")
        }
    }
}
