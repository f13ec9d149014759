package import DBus
package import HandoffModel

/// What an app does that continues activities of other devices, through `org.handoffd.Application1`.
package protocol ApplicationHandler: Sendable {
    /// Takes in that an activity is coming, from the device of that name; true when the app shows that it waits.
    func willContinue(_ type: ActivityType, from device: String) async throws -> Bool
    /// Goes on with an activity; false when the app does not want it.
    func `continue`(_ activity: FetchedActivity, from device: String) async throws -> Bool
    /// Takes in that the activity does not come, and why: the name of an error and a sentence.
    func didFail(_ type: ActivityType, _ error: String, _ message: String)
}

extension Interface {
    /// `org.handoffd.Application1`, served by an app.
    package static func application(_ application: some ApplicationHandler) -> Interface {
        Interface(
            name: HandoffName.applicationInterface,
            methods: [willContinue(application), continuing(application), didFail(application)]
        )
    }

    private static let type = Argument(name: "type", type: .string)
    private static let options = Argument(name: "options", type: [String: Value].valueType)

    private static func willContinue(_ application: some ApplicationHandler) -> Method {
        Method(
            name: "WillContinue",
            inputs: [type, options],
            outputs: [Argument(name: "shows_progress", type: .boolean)]
        ) { invocation in
            let type = try self.type(invocation)
            let device = deviceName(in: invocation.arguments[1])
            return .deferred { [.boolean(try await application.willContinue(type, from: device))] }
        }
    }

    private static func continuing(_ application: some ApplicationHandler) -> Method {
        Method(
            name: "Continue",
            inputs: [Argument(name: "activity", type: [String: Value].valueType), options],
            outputs: [Argument(name: "handled", type: .boolean)]
        ) { invocation in
            let activity = try ActivityCoding.fetched(from: invocation.arguments[0])
            let device = deviceName(in: invocation.arguments[1])
            return .deferred { [.boolean(try await application.continue(activity, from: device))] }
        }
    }

    private static func didFail(_ application: some ApplicationHandler) -> Method {
        Method(
            name: "DidFail",
            inputs: [
                type, Argument(name: "error", type: .string), Argument(name: "message", type: .string), options,
            ]
        ) { invocation in
            application.didFail(
                try self.type(invocation),
                try invocation.arguments.decode(at: 1, as: String.self),
                try invocation.arguments.decode(at: 2, as: String.self)
            )
            return .reply([])
        }
    }

    private static func type(_ invocation: Invocation) throws -> ActivityType {
        let text = try invocation.arguments.decode(at: 0, as: String.self)
        return try mappingModelError { () throws(ModelError) in try ActivityType(text) }
    }

    private static func deviceName(in options: Value) -> String {
        options.stringDictionary?[ApplicationCalls.Option.deviceName]?.string ?? ""
    }
}

/// The calls that the daemon makes of one app.
package struct ApplicationCalls: Hashable, Sendable {
    /// The keys of the `options` of each call.
    package enum Option {
        package static let deviceName = "device-name"
        package static let activationToken = "activation-token"
    }

    /// The app's name on the bus.
    package let application: BusName
    /// The app's object, named as for `org.freedesktop.Application`.
    package let path: ObjectPath
    /// What goes with each call.
    package let options: [String: Value]

    /// - Parameters:
    ///   - id: the id of the app's desktop file.
    ///   - options: what goes with each call.
    /// - Throws: ``DBusError`` where no app on a bus can have that name.
    package init(id: String, options: [String: Value] = [:]) throws(DBusError) {
        application = try BusName(id)
        // Desktop Entry Specification, "D-Bus Activation": dots become slashes, hyphens underscores.
        path = try ObjectPath("/" + id.map { $0 == "." ? "/" : $0 == "-" ? "_" : String($0) }.joined())
        self.options = options
    }

    /// Tells the app that an activity is coming; starts it if need be.
    package func willContinue(_ type: ActivityType) -> MethodCall {
        call("WillContinue", [.string(type.rawValue), options.value])
    }

    /// Gives the app the activity; starts it if need be.
    package func `continue`(_ activity: FetchedActivity) -> MethodCall {
        call("Continue", [ActivityCoding.value(of: activity), options.value])
    }

    /// Tells the app that the activity does not come; one that does not run waits for nothing, and is not started.
    package func didFail(_ type: ActivityType, _ error: HandoffErrorName, _ message: String) -> MethodCall {
        var call = call(
            "DidFail",
            [.string(type.rawValue), .string(error.errorName.description), .string(message), options.value]
        )
        call.startsService = false
        return call
    }

    /// Has the app open documents or web pages; starts it if need be.
    ///
    /// The method and the platform data are those of the Desktop Entry Specification, "D-Bus Activation".
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

    private func call(_ member: MemberName, _ arguments: [Value]) -> MethodCall {
        MethodCall(
            destination: application,
            path: path,
            interface: HandoffName.applicationInterface,
            member: member,
            arguments: arguments
        )
    }
}
