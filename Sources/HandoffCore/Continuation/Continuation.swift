package import HandoffModel

/// One continuation on this device, from the user's request to its end.
///
/// Guarantee: an app that received an announcement gets the activity or an error, exactly one of them, and not before
/// it has processed the announcement. It gets neither if it could not be started. If the activity turns out to be for
/// another app, that app gets it without an announcement, since there is nothing to wait for any more.
///
/// Every `Action` but the last two is followed by the `Event` that reports its result, so that no continuation
/// remains indefinitely; the service that performs the action limits how long that may take.
package struct Continuation: Hashable, Sendable {
    /// An app of this computer, by its id.
    package typealias AppID = String

    /// An action to perform for a continuation.
    package enum Action: Hashable, Sendable {
        /// Tells the expected app that an activity is coming; then comes ``Event/announced(_:)``.
        case announce
        /// Fetches the activity from its origin; then comes ``Event/fetched(_:for:)`` or ``Event/failed(_:)``.
        case fetch
        /// Gives the activity to an app; then comes ``Event/handedOver(_:)``.
        case handOver(Activity, to: AppID)
        /// Opens the web page or the document, the latter first in the app that has declined the activity, if one has;
        /// then comes ``Event/openedElsewhere(_:)``.
        case openElsewhere(Activity, declinedBy: AppID?)
        /// Tells the expected app that the activity is not coming.
        case reportFailure(HandoffError)
        /// Ends the continuation: reports the result to the caller, and cancels what is in progress.
        case finish(Result<Outcome, HandoffError>)
    }

    /// What happens to a continuation.
    package enum Event: Sendable {
        case announced(Announcement)
        /// The activity has arrived; the apps may receive it, in order of preference.
        case fetched(Activity, for: [AppID])
        /// The fetch has failed: an error of the origin, or the user continues another activity. It has no effect once
        /// the activity has arrived.
        case failed(HandoffError)
        case handedOver(Response)
        case openedElsewhere(Result<Outcome, HandoffError>)
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
        /// The app declined it, in what words there are: its document may be opened by the same app.
        case declined(String? = nil)
        /// The app could not be started, crashed, or did not answer.
        case failed(String)
        /// The app has not told in time that it goes on: the activity is not opened elsewhere, as the app may still wait.
        case gaveUp(String)
        /// The app has run for a while, and has ended with an error: the user may have answered it, so that a document is
        /// not opened elsewhere. A web page is.
        case failedLate(String)
        /// The app has refused the activity or its document for good: nothing else is opened.
        case refused(HandoffError)
        /// The app was not given the activity, and no other one is: the reason holds for each, or names this one. A web page is
        /// opened nevertheless.
        case withheld(HandoffError)
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

    /// What opens an activity that no app continues.
    package enum Fallback: Hashable, Sendable {
        /// A browser, its web page.
        case browser
        /// An app for documents of its kind, its document.
        case viewer
    }

    /// What was opened where no app continued the activity; nil for nothing.
    package private(set) var fallback: Fallback?

    private enum Announcing: Hashable, Sendable {
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

    private enum Fetch: Hashable, Sendable {
        case running
        case arrived(Activity, for: [AppID])
        case failed(HandoffError)
    }

    private enum Phase: Hashable, Sendable {
        /// The expected app, if there is one, is being notified, and the activity is being fetched.
        case preparing(Announcing, Fetch)
        /// An app has been given the activity.
        case receiving(Activity, by: AppID)
        /// The web page or the document is being opened.
        case opening
        case over
    }

    private var phase: Phase

    /// The actions with which the continuation begins.
    package let firstActions: [Action]

    /// - Parameter app: the expected app, if it can be notified before the activity has arrived.
    package init(announcedTo app: AppID? = nil) {
        phase = .preparing(app.map(Announcing.running) ?? .notNeeded, .running)
        firstActions = app == nil ? [.fetch] : [.announce, .fetch]
    }

    /// Whether the continuation has ended.
    package var isOver: Bool { if case .over = phase { true } else { false } }

    /// Whether an app, the browser or a document's app is being given the activity: it may go on with it even if this
    /// device stops waiting for the answer.
    package var isHandingOver: Bool {
        switch phase {
        case .receiving, .opening: true
        case .preparing, .over: false
        }
    }

    /// Returns the actions that follow from an event; none for an event that comes too late.
    package mutating func handle(_ event: Event) -> [Action] {
        switch (phase, event) {
        case (.preparing(.running(let app), let fetch), .announced(let result)):
            return prepare(result == .delivered ? .delivered(app) : .unreachable(app), fetch)
        case (.preparing(let announcing, .running), .fetched(let activity, let apps)):
            return prepare(announcing, .arrived(activity, for: apps))
        case (.preparing(let announcing, .running), .failed(let error)):
            return prepare(announcing, .failed(error))
        case (.receiving(_, let app), .handedOver(.accepted)):
            return finish(.success(.app(app)))
        case (.receiving(let activity, _), .handedOver(.withheld(let error))) where activity.webpageURL == nil:
            return finish(.failure(error))
        case (.receiving(let activity, let app), .handedOver(.failedLate)) where activity.webpageURL != nil:
            return openElsewhere(activity.withoutDocument, declinedBy: app, or: Self.notForApp)
        case (.receiving, .handedOver(let response)) where response.isFinal:
            return finish(.failure(Self.error(response)))
        case (.receiving(let activity, let app), .handedOver(let response)):
            return openElsewhere(activity, declinedBy: response.isDecline ? app : nil, or: Self.error(response))
        case (.opening, .openedElsewhere(let result)):
            return finish(result)
        default:
            return []
        }
    }

    /// Continues once the announcement is complete and the fetch has ended.
    private mutating func prepare(_ announcing: Announcing, _ fetch: Fetch) -> [Action] {
        phase = .preparing(announcing, fetch)
        guard announcing.isOver else { return [] }
        let announcedApp = announcing.announcedApp
        switch fetch {
        case .running: return []
        case .failed(let error):
            return (announcedApp == nil ? [] : [.reportFailure(error)]) + finish(.failure(error))
        case .arrived(let activity, let apps):
            let unreachable = announcing.unreachableApp.flatMap { apps.contains($0) ? $0 : nil }
            return deliver(
                activity,
                to: apps.filter { $0 != unreachable },
                announcedApp: announcedApp,
                or: unreachable.map(Self.notStarted) ?? Self.notForApp
            )
        }
    }

    /// Gives the activity to the first of these apps; if that is not the announced one, the announced one gets an error.
    private mutating func deliver(
        _ activity: Activity,
        to apps: [AppID],
        announcedApp: AppID?,
        or error: HandoffError
    ) -> [Action] {
        guard let app = apps.first else {
            let report: [Action] = announcedApp == nil ? [] : [.reportFailure(error)]
            return report + openElsewhere(activity, declinedBy: nil, or: error)
        }
        phase = .receiving(activity, by: app)
        let isOther = announcedApp != nil && announcedApp != app
        return (isOther ? [.reportFailure(Self.forOtherApp)] : []) + [.handOver(activity, to: app)]
    }

    private mutating func openElsewhere(
        _ activity: Activity,
        declinedBy app: AppID?,
        or error: HandoffError
    ) -> [Action] {
        guard activity.webpageURL != nil || activity.documentURL != nil else { return finish(.failure(error)) }
        phase = .opening
        fallback = activity.webpageURL == nil ? .viewer : .browser
        return [.openElsewhere(activity, declinedBy: app)]
    }

    private mutating func finish(_ result: Result<Outcome, HandoffError>) -> [Action] {
        phase = .over
        return [.finish(result)]
    }

    /// The event for a continuation whose activity is still being fetched when the user continues another one.
    package static let superseded = Event.failed(
        HandoffError(.userCancelled, "Another activity is being continued instead.")
    )

    private static let notForApp = HandoffError(
        .notContinuable,
        "No app here continues this activity, and it has neither a web page nor a document; "
            + "see `handoffctl apps` for what apps claim."
    )

    private static func notStarted(_ app: AppID) -> HandoffError {
        HandoffError(
            .appFailed,
            "\(app) could not be started: it has no D-Bus service that works, and its Exec does not bring it to the bus."
        )
    }

    private static let forOtherApp = HandoffError(
        .notContinuable,
        "Another app continues the activity: it is of the activity's team, or names its title."
    )

    private static func error(_ response: Response) -> HandoffError {
        switch response {
        case .failed(let reason), .gaveUp(let reason), .failedLate(let reason), .declined(let reason?):
            HandoffError(.appFailed, "The app could not continue the activity: \(reason)")
        case .refused(let error), .withheld(let error): error
        case .accepted, .declined(nil):
            HandoffError(.notContinuable, "The app declined this activity, and the activity has no web page.")
        }
    }
}

extension Continuation.Response {
    fileprivate var isDecline: Bool { if case .declined = self { true } else { false } }
    /// Whether nothing else may be opened in the place of the app.
    fileprivate var isFinal: Bool {
        switch self {
        case .gaveUp, .failedLate, .refused: true
        case .accepted, .declined, .failed, .withheld: false
        }
    }
}
