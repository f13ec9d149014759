package import DBus
package import HandoffModel

/// The members of `org.handoffd.Application1`.
package enum ApplicationInterface {
    private static let name = HandoffName.applicationInterface
    private static let type = Argument("type", .string, "its type")

    package static let willContinue = MethodDeclaration(
        name,
        "WillContinue",
        "Notifies the app that an activity is being fetched.",
        [type, .options(allowing: "DeviceName (s), ActivationToken (s)")],
        returns: [Argument("shows_progress", .boolean, "whether the app shows progress to the user")]
    )
    package static let continuation = MethodDeclaration(
        name,
        "Continue",
        "Gives the app the activity.",
        [
            Argument("activity", .properties, "Type, and the other properties that the activity has"),
            .options(allowing: "as for WillContinue"),
        ],
        returns: [Argument("handled", .boolean, "whether the app continues it")]
    )
    package static let didFail = MethodDeclaration(
        name,
        "DidFail",
        "Notifies the app that the activity will not come.",
        [
            type, Argument("error", .string, "the name of an error, org.handoffd.Error.…"),
            Argument("message", .string, "a sentence for the user"),
            .options(
                allowing: "as for WillContinue; Shown (b), true if the user sees the message without the app's doing"
            ),
        ]
    )

    package static let declaration = InterfaceDeclaration(
        name,
        "an app that continues activities of other devices; implemented by the app",
        methods: [willContinue, continuation, didFail]
    )
}

/// The object of an app that continues activities of other devices, `org.handoffd.Application1`.
package protocol ApplicationHandler: Sendable {
    /// Notifies the app that an activity is coming from the device of that name; returns true when the app shows
    /// progress.
    func willContinue(_ type: ActivityType, from device: String) async throws -> Bool
    /// Continues an activity; returns false when the app declines it.
    func `continue`(_ activity: FetchedActivity, from device: String) async throws -> Bool
    /// Notifies the app that the activity does not come.
    func didFail(_ type: ActivityType, _ failure: ContinuationFailure)
}

/// Why an activity does not come.
package struct ContinuationFailure: Hashable, Sendable {
    /// The D-Bus name of the error.
    package let error: String
    /// A sentence for the user.
    package let message: String
    /// Whether the program with which the user has chosen the activity shows it.
    package let isShown: Bool

    package init(error: String, message: String, isShown: Bool = false) {
        self.error = error
        self.message = message
        self.isShown = isShown
    }
}

extension Interface {
    /// `org.handoffd.Application1`, served by an app.
    package static func application(_ application: some ApplicationHandler) -> Interface {
        Interface(
            ApplicationInterface.declaration,
            methods: [
                ApplicationInterface.willContinue.served { invocation in
                    let type = try self.type(invocation)
                    let device = deviceName(in: invocation.arguments[1])
                    return .deferred { [.boolean(try await application.willContinue(type, from: device))] }
                },
                ApplicationInterface.continuation.served { invocation in
                    let activity = try ActivityCoding.fetched(from: invocation.arguments[0])
                    let device = deviceName(in: invocation.arguments[1])
                    return .deferred { [.boolean(try await application.continue(activity, from: device))] }
                },
                ApplicationInterface.didFail.served { invocation in
                    application.didFail(try self.type(invocation), try ContinuationFailure(invocation))
                    return .done
                },
            ]
        )
    }

    private static func type(_ invocation: Invocation) throws -> ActivityType {
        let text = try invocation.argument(0, as: String.self)
        return try mappingModelError { () throws(ModelError) in try ActivityType(text) }
    }

    private static func deviceName(in options: Value) -> String {
        options.stringDictionary?[ApplicationCalls.Option.deviceName]?.string ?? ""
    }
}

extension ContinuationFailure {
    /// Reads the arguments of `DidFail`.
    fileprivate init(_ invocation: Invocation) throws {
        let options = invocation.arguments[3].stringDictionary
        self.init(
            error: try invocation.argument(1),
            message: try invocation.argument(2),
            isShown: options?[ApplicationCalls.Option.shown]?.boolean ?? false
        )
    }
}

/// The daemon's calls to one app.
package struct ApplicationCalls: Hashable, Sendable {
    /// The keys of the `options` of each call.
    package enum Option {
        package static let deviceName = "DeviceName"
        package static let activationToken = "ActivationToken"
        /// Of DidFail: whether the user sees the failure without the app's doing.
        package static let shown = "Shown"
        /// Of Continue: whether the caller shows the user a failure.
        package static let showsFailure = "ShowsFailure"
    }

    /// The app's name on the bus.
    package let application: BusName
    /// The app's object path, derived as for `org.freedesktop.Application`.
    package let path: ObjectPath
    /// The options of each call.
    package let options: [String: Value]

    /// - Parameters:
    ///   - id: the id of the app's desktop file.
    ///   - options: the options of each call.
    /// - Throws: ``DBusError`` when the id is not a valid bus name.
    package init(id: String, options: [String: Value] = [:]) throws(DBusError) {
        application = try BusName(id)
        // Desktop Entry Specification, "D-Bus Activation": dots become slashes, hyphens underscores.
        path = try ObjectPath("/" + id.map { $0 == "." ? "/" : $0 == "-" ? "_" : String($0) }.joined())
        self.options = options
    }

    /// Notifies the app that an activity is coming; starts it if necessary.
    package func willContinue(_ type: ActivityType) -> MethodCall {
        call(ApplicationInterface.willContinue, [.string(type.rawValue), options.value])
    }

    /// Gives the app the activity; starts it if necessary.
    package func `continue`(_ activity: FetchedActivity) -> MethodCall {
        call(ApplicationInterface.continuation, [ActivityCoding.value(of: activity), options.value])
    }

    /// Notifies the app that the activity does not come; does not start the app, since one that does not run is not
    /// waiting.
    ///
    /// - Parameter isShown: whether the user sees the failure without the app's doing.
    package func didFail(
        _ type: ActivityType,
        _ error: HandoffErrorName,
        _ message: String,
        isShown: Bool = false
    ) -> MethodCall {
        var options = options
        if isShown { options[Option.shown] = .boolean(true) }
        var call = call(
            ApplicationInterface.didFail,
            [.string(type.rawValue), .string(error.errorName.description), .string(message), options.value]
        )
        call.startsService = false
        return call
    }

    /// Asks the app to open documents or web pages; starts it if necessary.
    ///
    /// The method and the platform data are defined by the Desktop Entry Specification, "D-Bus Activation".
    package func open(_ addresses: [String], activationToken: String?) -> MethodCall {
        var platform: [String: Value] = [:]
        for key in ["activation-token", "desktop-startup-id"] { platform[key] = activationToken.map(Value.string) }
        return MethodCall(
            destination: application,
            path: path,
            interface: "org.freedesktop.Application",
            member: "Open",
            arguments: [addresses.value, platform.value]
        )
    }

    private func call(_ method: MethodDeclaration, _ arguments: [Value]) -> MethodCall {
        method.call(of: application, at: path, arguments)
    }
}
