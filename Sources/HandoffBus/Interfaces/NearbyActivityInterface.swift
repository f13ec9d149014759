package import DBus
import HandoffModel

/// The members of `org.handoffd.NearbyActivity1`.
package enum NearbyActivityInterface {
    private static let name = HandoffName.nearbyActivityInterface

    package static let fetch = MethodDeclaration(
        name,
        "Fetch",
        """
        Fetches the whole activity from its device. Takes up to 15 seconds. Its app is told nothing and is not asked to
        save, unless Fresh is set: then it saves first; or Take: then it saves first, and is told that the caller goes
        on with the activity. With Current, what the device shows is fetched, whichever activity that is by then.
        """,
        [.options(allowing: "Fresh (b), Take (b), Current (b)")],
        returns: [
            Argument(
                "activity",
                .properties,
                """
                Type (s), UserInfo (a{sv}), and those other properties of org.handoffd.Activity1 that the activity has
                and that are sent: all that can be set except Eligible, NeedsSave and Delegate
                """
            )
        ]
    )
    package static let continuation = MethodDeclaration(
        name,
        "Continue",
        """
        Continues the activity in the app that opens it here. Takes longer than 25 seconds when its document has to be
        synchronised first, or an app is slow.
        """,
        [
            .options(
                allowing: """
                    ActivationToken (s); ShowsFailure (b), true if the caller shows the user a failure; OpenProgram (b);
                    Current (b), true if the caller wants what the device shows, whichever activity that is by then
                    """
            )
        ],
        returns: [
            Argument("outcome", .string, "app, browser or document"),
            Argument("application", .string, "the id of the app; empty for the browser"),
        ]
    )
    package static let cancel = MethodDeclaration(
        name,
        "Cancel",
        """
        Cancels the calls of Fetch and Continue for this activity by the same connection which are in progress: those
        whose activity has not arrived fail with UserCancelled.
        """,
        [.options]
    )

    package static let declaration = InterfaceDeclaration(
        name,
        "an activity of the user on another device nearby",
        """
        At /org/handoffd/Handoff1/Nearby/N, for as long as a trusted device in range advertises the activity. A device
        has at most one; when it changes to another activity, the object is removed and another one is added.
        """,
        methods: [fetch, continuation, cancel],
        properties: NearbyActivityDescription.properties.map(\.declaration),
        signals: NearbyActivityEvent.descriptions
    )
}

/// The methods and properties of `org.handoffd.NearbyActivity1` for one activity, implemented by the daemon.
///
/// Every member is called on the loop's thread, in the order in which the calls came; none may block.
package protocol NearbyActivityHandler: Sendable {
    /// The present state of the activity.
    var description: NearbyActivityDescription { get }

    /// Begins to fetch the whole activity from its device.
    ///
    /// - Returns: what waits for it.
    func fetch(by caller: Caller, _ options: FetchOptions) -> @Sendable () async throws -> FetchedActivity
    /// Begins to hand the activity over to its launch target.
    ///
    /// - Returns: what waits for the end of that.
    func `continue`(
        by caller: Caller,
        _ options: ContinuationOptions
    ) -> @Sendable () async throws -> ContinuationResult
    /// Cancels the calls of `client` that are in progress.
    func cancel(by client: BusName)
}

extension Interface {
    /// `org.handoffd.NearbyActivity1`, served by `handler`.
    package static func nearbyActivity(_ handler: some NearbyActivityHandler) -> Interface {
        Interface(
            NearbyActivityInterface.declaration,
            methods: [
                NearbyActivityInterface.fetch.served { invocation in
                    let fetched = handler.fetch(by: Caller(invocation), FetchOptions(invocation.arguments[0]))
                    return .deferred { [ActivityCoding.value(of: try await fetched())] }
                },
                NearbyActivityInterface.continuation.served { invocation in
                    let options = ContinuationOptions(invocation.arguments[0])
                    let continued = handler.continue(by: Caller(invocation), options)
                    return .deferred {
                        let result = try await continued()
                        return [.string(result.outcome), .string(result.application)]
                    }
                },
                NearbyActivityInterface.cancel.served { invocation in
                    handler.cancel(by: invocation.sender)
                    return .done
                },
            ],
            properties: NearbyActivityDescription.properties(of: { handler.description })
        )
    }
}
