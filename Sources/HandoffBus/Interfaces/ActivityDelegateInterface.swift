package import DBus

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
            name: HandoffName.activityDelegateInterface,
            methods: [
                willSave(delegate), wasContinued(delegate), didFailToContinue(delegate), didReceiveStream(delegate),
            ]
        ).annotatedForCodeGenerators()
    }

    private static let activity = Argument(name: "activity", type: .objectPath)
    private static func willSave(_ delegate: some ActivityDelegate) -> Method {
        Method(name: "WillSave", inputs: [activity, .options]) { invocation in
            let activity = try invocation.arguments.decode(at: 0, as: ObjectPath.self)
            return .deferred {
                try await delegate.willSave(activity)
                return []
            }
        }
    }

    private static func wasContinued(_ delegate: some ActivityDelegate) -> Method {
        Method(
            name: "WasContinued",
            inputs: [
                activity, Argument(name: "device", type: .objectPath), Argument(name: "device_name", type: .string),
                .options,
            ]
        ) { invocation in
            let arguments = invocation.arguments
            delegate.wasContinued(
                try arguments.decode(at: 0, as: ObjectPath.self),
                by: try arguments.decode(at: 1, as: ObjectPath.self),
                named: try arguments.decode(at: 2, as: String.self)
            )
            return .reply([])
        }
    }
}

extension Interface {
    private static func didFailToContinue(_ delegate: some ActivityDelegate) -> Method {
        Method(
            name: "DidFailToContinue",
            inputs: [
                activity, Argument(name: "device", type: .objectPath), Argument(name: "device_name", type: .string),
                Argument(name: "error", type: .string), Argument(name: "message", type: .string), .options,
            ]
        ) { invocation in
            let arguments = invocation.arguments
            delegate.didFailToContinue(
                try arguments.decode(at: 0, as: ObjectPath.self),
                on: try arguments.decode(at: 1, as: ObjectPath.self),
                named: try arguments.decode(at: 2, as: String.self),
                try arguments.decode(at: 3, as: String.self),
                try arguments.decode(at: 4, as: String.self)
            )
            return .reply([])
        }
    }

    private static func didReceiveStream(_ delegate: some ActivityDelegate) -> Method {
        Method(
            name: "DidReceiveStream",
            inputs: [
                activity, Argument(name: "stream", type: .unixFD), Argument(name: "device", type: .objectPath),
                Argument(name: "device_name", type: .string), .options,
            ]
        ) { invocation in
            let arguments = invocation.arguments
            try delegate.didReceiveStream(
                try arguments.decode(at: 1, as: UnixFD.self),
                of: try arguments.decode(at: 0, as: ObjectPath.self),
                from: try arguments.decode(at: 2, as: ObjectPath.self),
                named: try arguments.decode(at: 3, as: String.self)
            )
            return .reply([])
        }
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
        MethodCall(
            destination: client,
            path: delegate,
            interface: HandoffName.activityDelegateInterface,
            member: "DidReceiveStream",
            arguments: [
                .objectPath(activity), .unixFD(stream), .objectPath(device), .string(name), .noOptions,
            ],
            startsService: false
        )
    }

    /// Asks the app of `client` to save an activity.
    package static func willSave(_ activity: ObjectPath, of client: BusName, at delegate: ObjectPath) -> MethodCall {
        MethodCall(
            destination: client,
            path: delegate,
            interface: HandoffName.activityDelegateInterface,
            member: "WillSave",
            arguments: [.objectPath(activity), .noOptions],
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
        MethodCall(
            destination: client,
            path: delegate,
            interface: HandoffName.activityDelegateInterface,
            member: "WasContinued",
            arguments: [
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
        MethodCall(
            destination: client,
            path: delegate,
            interface: HandoffName.activityDelegateInterface,
            member: "DidFailToContinue",
            arguments: [
                .objectPath(activity), .objectPath(device), .string(name), .string(error.errorName.description),
                .string(message), .noOptions,
            ],
            startsService: false
        )
    }
}
