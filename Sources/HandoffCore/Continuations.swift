package import HandoffModel

/// The continuations on this device, each from a person's wish to its end; at most one of them is being fetched.
///
/// The promise: an app that was told that an activity is coming gets the activity or the error, exactly one of them, and not
/// before it has taken in the announcement. It is told neither where it could not be started.
///
/// Everything that is asked for in an `Action` comes back as a call, however it ends, so that no continuation stays for
/// ever; how long that may take is up to whoever carries the action out.
package struct Continuations: Sendable {
    /// The name of a continuation inside one run of the daemon; never used twice.
    package typealias ID = UInt64

    /// What is to be done for a continuation.
    package enum Action: Hashable, Sendable {
        /// Tell the app that an activity is coming; then call ``Continuations/announced(_:_:)``.
        case announce
        /// Ask the origin; then call ``Continuations/fetched(_:_:)`` or ``Continuations/failed(_:_:)``.
        case fetch
        /// Give the activity to the app; then call ``Continuations/handedOver(_:_:)``.
        case handOver(Activity)
        /// Tell the app that the activity is not coming.
        case reportFailure(HandoffError)
        /// Open the web page; then call ``Continuations/openedElsewhere(_:_:)``.
        case openElsewhere(Activity)
        /// Nothing more happens; whoever asked is told, and what is under way is given up.
        case finish(Result<Outcome, HandoffError>)
    }

    /// What became of an announcement.
    package enum Announcement: Hashable, Sendable {
        /// The app has it, or may have it.
        case taken
        /// The app is not there, and cannot be started: it has heard nothing.
        case impossible
    }

    /// What an app said to the activity.
    package enum Reception: Hashable, Sendable {
        /// It goes on with it.
        case accepted
        /// It does not want it.
        case declined
        /// It could not be started, crashed, or has not answered.
        case failed(String)
    }

    /// Where an activity has gone.
    package enum Outcome: Hashable, Sendable {
        case app, browser
    }

    private enum Fetch: Sendable {
        case running
        case arrived(Activity, isForApp: Bool)
        case failed(HandoffError)
    }

    private enum Phase: Sendable {
        /// The app, if there is one, is being told, and the activity being fetched.
        case preparing(isAnnouncing: Bool, hasApp: Bool, isAnnounced: Bool, Fetch)
        /// The app has been given the activity.
        case receiving(Activity)
        /// The web page is being opened.
        case opening
    }

    private var phases: [ID: Phase] = [:]
    private var nextID: ID = 1

    package init() {}

    /// How many continuations have not ended.
    package var count: Int { phases.count }

    /// Begins a continuation, and gives up the one that is still being fetched.
    ///
    /// - Parameters:
    ///   - hasApp: whether an app is expected to take it.
    ///   - announces: whether that app can be told before the activity is here.
    /// - Returns: its id, and what is to be done for it and for the one that it ends.
    package mutating func begin(hasApp: Bool, announces: Bool) -> (id: ID, actions: [(ID, Action)]) {
        var actions: [(ID, Action)] = []
        for id in phases.keys.sorted() {
            actions += failed(id, Self.superseded).map { (id, $0) }
        }
        let id = nextID
        nextID += 1
        let isAnnouncing = hasApp && announces
        phases[id] = .preparing(isAnnouncing: isAnnouncing, hasApp: hasApp, isAnnounced: false, .running)
        actions += (isAnnouncing ? [.announce, .fetch] : [.fetch]).map { (id, $0) }
        return (id, actions)
    }

    /// Takes in what became of `Action/announce`.
    package mutating func announced(_ id: ID, _ announcement: Announcement) -> [Action] {
        guard case .preparing(true, let hasApp, _, let fetch) = phases[id] else { return [] }
        let isTaken = announcement == .taken
        phases[id] = .preparing(isAnnouncing: false, hasApp: hasApp && isTaken, isAnnounced: isTaken, fetch)
        return advance(id)
    }

    /// Takes in the activity.
    ///
    /// - Parameter isForApp: whether the app that was expected may have it.
    package mutating func fetched(_ id: ID, _ activity: Activity, isForApp: Bool = true) -> [Action] {
        end(id, .arrived(activity, isForApp: isForApp))
    }

    /// Takes in that the activity does not come: the origin failed, or a person does not want it any more.
    ///
    /// It changes nothing once the activity is here.
    package mutating func failed(_ id: ID, _ error: HandoffError) -> [Action] {
        end(id, .failed(error))
    }

    /// Takes in what became of `Action/handOver(_:)`.
    package mutating func handedOver(_ id: ID, _ reception: Reception) -> [Action] {
        guard case .receiving(let activity) = phases[id] else { return [] }
        switch reception {
        case .accepted: return finish(id, .success(.app))
        case .declined, .failed:
            guard activity.webpageURL != nil else { return finish(id, .failure(Self.error(reception))) }
            phases[id] = .opening
            return [.openElsewhere(activity)]
        }
    }

    /// Takes in what became of `Action/openElsewhere(_:)`.
    ///
    /// - Parameter error: why it failed; nil when the page is open.
    package mutating func openedElsewhere(_ id: ID, _ error: HandoffError?) -> [Action] {
        guard case .opening = phases[id] else { return [] }
        return finish(id, error.map { .failure($0) } ?? .success(.browser))
    }

    /// Drops a continuation whose bus is gone, with its app and whoever asked.
    package mutating func forget(_ id: ID) {
        phases[id] = nil
    }

    private mutating func end(_ id: ID, _ result: Fetch) -> [Action] {
        guard case .preparing(let isAnnouncing, let hasApp, let isAnnounced, .running) = phases[id] else { return [] }
        phases[id] = .preparing(isAnnouncing: isAnnouncing, hasApp: hasApp, isAnnounced: isAnnounced, result)
        return advance(id)
    }

    /// Goes on once the app has been told and the fetch has ended.
    private mutating func advance(_ id: ID) -> [Action] {
        guard case .preparing(false, let hasApp, let isAnnounced, let fetch) = phases[id] else { return [] }
        switch fetch {
        case .running: return []
        case .failed(let error):
            return (isAnnounced ? [.reportFailure(error)] : []) + finish(id, .failure(error))
        case .arrived(let activity, true) where hasApp:
            phases[id] = .receiving(activity)
            return [.handOver(activity)]
        case .arrived(let activity, _):
            let report: [Action] = isAnnounced ? [.reportFailure(Self.notForApp)] : []
            guard activity.webpageURL != nil else { return report + finish(id, .failure(Self.notForApp)) }
            phases[id] = .opening
            return report + [.openElsewhere(activity)]
        }
    }

    private mutating func finish(_ id: ID, _ result: Result<Outcome, HandoffError>) -> [Action] {
        phases[id] = nil
        return [.finish(result)]
    }

    private static let superseded = HandoffError(.userCancelled, "Another activity is continued instead.")

    private static let notForApp = HandoffError(
        .notContinuable,
        "No app here continues this activity, and it has no web page; see `handoffctl apps` for what apps claim."
    )

    private static func error(_ reception: Reception) -> HandoffError {
        switch reception {
        case .failed(let reason): HandoffError(.appFailed, "The app could not take the activity: \(reason)")
        case .accepted, .declined:
            HandoffError(.notContinuable, "The app does not want this activity, and it has no web page.")
        }
    }
}
