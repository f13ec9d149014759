package import DBus

/// The members of `org.handoffd.ActivityDelegate1`.
package enum ActivityDelegateInterface {
    private static let name = HandoffName.activityDelegateInterface
    private static let activity = Argument(
        "activity",
        .objectPath,
        "the object of the activity, with org.handoffd.Activity1"
    )
    private static let whichDevice = [
        Argument("device", .objectPath, "the object of the device, with org.handoffd.Device1"),
        Argument("device_name", .string, "the name of the device"),
    ]

    package static let willSave = MethodDeclaration(
        name,
        "WillSave",
        """
        Another device is about to continue the activity, or shows its newest state, and NeedsSave is set: bring its
        properties up to date, then answer, within 3 seconds. After that the device gets the state that was saved last.
        """,
        [activity, .options]
    )
    package static let wasContinued = MethodDeclaration(
        name,
        "WasContinued",
        """
        An app on a device has accepted the activity, or its browser or a document's app has opened it. The daemon does
        not wait for an answer.
        """,
        [activity] + whichDevice + [.options(allowing: "Kind (s): app, browser or document")]
    )
    package static let didFailToContinue = MethodDeclaration(
        name,
        "DidFailToContinue",
        """
        A device got the activity in order to continue it, and nothing there goes on with it. The daemon does not wait
        for an answer.
        """,
        [activity] + whichDevice + [
            Argument("error", .string, "one of the names in errors.md, such as org.handoffd.Error.AppFailed"),
            Argument("message", .string, "a sentence for the user"), .options,
        ]
    )
    package static let didReceiveStream = MethodDeclaration(
        name,
        "DidReceiveStream",
        "An app on another device that continues the activity has opened a stream. Answer within 10 seconds.",
        [
            activity,
            Argument(
                "stream",
                .unixFD,
                "a connected socket in blocking mode; its other end belongs to the app that continues"
            ),
        ] + whichDevice + [.options]
    )

    package static let declaration = InterfaceDeclaration(
        name,
        "how the daemon calls the app of an activity",
        """
        Exported by the app, on the connection that created the activity, at the path that the activity's Delegate
        names.
        """,
        methods: [willSave, wasContinued, didFailToContinue, didReceiveStream]
    )
}

/// The object through which the daemon calls an app about its activities, `org.handoffd.ActivityDelegate1`.
///
/// One object may serve any number of activities.
package protocol ActivityDelegate: Sendable {
    /// Saves the newest state of the activity, because another device is about to fetch it.
    func willSave(_ activity: ObjectPath) async throws
    /// Notifies the app that something on a device goes on with the activity.
    func wasContinued(_ activity: ObjectPath, by device: ObjectPath, named name: String)
    /// Notifies the app that a device received the activity, and that nothing there goes on with it.
    ///
    /// - Parameters:
    ///   - error: one of the names in Docs/dbus/errors.md.
    ///   - message: a sentence for the user.
    func didFailToContinue(
        _ activity: ObjectPath,
        on device: ObjectPath,
        named name: String,
        _ error: String,
        _ message: String
    )
    /// Receives the app's end of a continuation stream: a connected socket in blocking mode.
    ///
    /// The other end belongs to the app that continues the activity. When that app ends its writing direction, this end
    /// reads end-of-file; `ECONNRESET` means that the stream failed, and that data may be missing. Closing this end before
    /// its own writing direction has ended (`shutdown`) resets the stream.
    func didReceiveStream(_ stream: UnixFD, of activity: ObjectPath, from device: ObjectPath, named name: String) throws
}

extension Interface {
    /// `org.handoffd.ActivityDelegate1`, served by an app.
    package static func activityDelegate(_ delegate: some ActivityDelegate) -> Interface {
        Interface(
            ActivityDelegateInterface.declaration,
            methods: [
                ActivityDelegateInterface.willSave.served { invocation in
                    let activity = try invocation.argument(0, as: ObjectPath.self)
                    return .doneAfter { try await delegate.willSave(activity) }
                },
                ActivityDelegateInterface.wasContinued.served { invocation in
                    delegate.wasContinued(
                        try invocation.argument(0),
                        by: try invocation.argument(1),
                        named: try invocation.argument(2)
                    )
                    return .done
                },
                ActivityDelegateInterface.didFailToContinue.served { invocation in
                    delegate.didFailToContinue(
                        try invocation.argument(0),
                        on: try invocation.argument(1),
                        named: try invocation.argument(2),
                        try invocation.argument(3),
                        try invocation.argument(4)
                    )
                    return .done
                },
                ActivityDelegateInterface.didReceiveStream.served { invocation in
                    try delegate.didReceiveStream(
                        invocation.argument(1),
                        of: invocation.argument(0),
                        from: invocation.argument(2),
                        named: invocation.argument(3)
                    )
                    return .done
                },
            ]
        )
    }
}

extension MethodCall {
    /// Gives the app of `client` its end of a stream to an activity.
    package static func didReceiveStream(
        _ stream: UnixFD,
        of activity: ObjectPath,
        from device: ObjectPath,
        named name: String,
        client: BusName,
        at delegate: ObjectPath
    ) -> MethodCall {
        ActivityDelegateInterface.didReceiveStream.call(
            of: client,
            at: delegate,
            [
                .objectPath(activity), .unixFD(stream), .objectPath(device), .string(name), .noOptions,
            ],
            startsService: false
        )
    }

    /// Asks the app of `client` to save an activity.
    package static func willSave(_ activity: ObjectPath, of client: BusName, at delegate: ObjectPath) -> MethodCall {
        ActivityDelegateInterface.willSave.call(
            of: client,
            at: delegate,
            [.objectPath(activity), .noOptions],
            startsService: false
        )
    }

    /// Notifies the app of `client` that something on a device goes on with an activity.
    ///
    /// - Parameter kind: `app`, `browser` or `document`.
    package static func wasContinued(
        _ activity: ObjectPath,
        by device: ObjectPath,
        named name: String,
        in kind: String,
        of client: BusName,
        at delegate: ObjectPath
    ) -> MethodCall {
        ActivityDelegateInterface.wasContinued.call(
            of: client,
            at: delegate,
            [
                .objectPath(activity), .objectPath(device), .string(name),
                [ActivityEvent.Key.kind: Value.string(kind)].value,
            ],
            startsService: false
        )
    }

    /// Notifies the app of `client` that a device received an activity, and that nothing there goes on with it.
    package static func didFailToContinue(
        _ activity: ObjectPath,
        on device: ObjectPath,
        named name: String,
        _ error: HandoffErrorName,
        _ message: String,
        of client: BusName,
        at delegate: ObjectPath
    ) -> MethodCall {
        ActivityDelegateInterface.didFailToContinue.call(
            of: client,
            at: delegate,
            [
                .objectPath(activity), .objectPath(device), .string(name), .string(error.errorName.description),
                .string(message), .noOptions,
            ],
            startsService: false
        )
    }
}
