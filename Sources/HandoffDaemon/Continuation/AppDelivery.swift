import AsyncSupport
import DBus
import FoundationEssentials
import HandoffApps
import HandoffBus
import HandoffCore
import HandoffJSON
import HandoffModel
// FoundationEssentials has a DeviceID for file systems.
import struct HandoffModel.DeviceID

/// The ways to pass an activity to an app or a browser, for one continuation.
struct AppDelivery: Sendable {
    let connection: Connection
    let apps: AppTracker
    let starter: AppStarter
    /// The name of the origin.
    let deviceName: String
    /// The id of the origin.
    let device: DeviceID
    /// The entry that is continued.
    let entry: NearbyEntry.ID
    /// Whether the user saw that the activity has a document, and no page in its place.
    let offersDocument: Bool
    let options: ContinuationOptions

    /// The time limit for an app to answer whether it continues an activity, including its start.
    static let limit = Duration.seconds(30)

    /// How long a program may run until it counts as one that goes on: one that cannot begin says so at once.
    static let programLimit = Duration.seconds(2)

    /// Announces an activity to an app on the bus, which is started if necessary.
    ///
    /// - Returns: the result, and whether the app shows the user that an activity is coming.
    func announce(
        _ type: ActivityType,
        to app: App,
        _ limit: Duration
    ) async -> (announcement: Continuation.Announcement, showsProgress: Bool) {
        do {
            let call = try calls(to: app).willContinue(type)
            let token = options.activationToken
            let reply = try await starter.call(call, to: app, activationToken: token, limit: limit)
            return (.delivered, reply.first?.boolean ?? false)
        } catch {
            // An app that crashed, is slow or does not have the method may have received the call nevertheless.
            return (error.indicatesAbsentService ? .unreachable : .delivered, false)
        }
    }

    /// Passes the activity to an app, which is started if necessary.
    func handOver(_ activity: Activity, to app: App) async -> Continuation.Response {
        switch app.launchMethod {
        case .bus: await call(app, activity)
        case .program(let command):
            await launch(
                command,
                of: app.id,
                ActivityDocument(fetched(activity), from: device.description, named: deviceName),
                waits: app.waits
            )
        case .command(let command): await run(command, of: app.id, with: activity)
        }
    }

    /// Notifies an app that the activity will not arrive.
    func reportFailure(of type: ActivityType, to app: App, _ error: HandoffErrorName, _ message: String) {
        guard let calls = try? calls(to: app) else { return }
        connection.send(calls.didFail(type, error, message, isShown: options.showsFailure))
    }

    /// Runs a command with the web page or the document of an activity.
    private func run(_ command: AppCommand, of app: String, with activity: Activity) async -> Continuation.Response {
        // If a program accepts only one address, a web page takes precedence over a document.
        if let page = activity.webpageURL, command.line.takesURL || activity.documentURL == nil {
            return await launch(command, url: page.escaped, of: app)
        }
        guard let text = activity.documentURL else { return await launch(command, of: app) }
        do throws(HandoffError) {
            let document = try apps.document(at: text)
            let program = try launch(of: command, opening: document)
            try await permit(document, in: app, asInert: !document.inertTypes.isEmpty)
            return await launch(program, of: app)
        } catch {
            return Self.response(error)
        }
    }

    private func calls(to app: App) throws(DBusError) -> ApplicationCalls {
        var entries: [String: Value] = [ApplicationCalls.Option.deviceName: .string(deviceName)]
        entries[ApplicationCalls.Option.activationToken] = options.activationToken.map(Value.string)
        return try ApplicationCalls(id: app.id, options: entries)
    }

    private func call(_ app: App, _ activity: Activity) async -> Continuation.Response {
        do throws(DBusError) {
            let call = try calls(to: app).continue(fetched(activity))
            let token = options.activationToken
            let reply = try await starter.call(call, to: app, activationToken: token, limit: Self.limit)
            return try reply.decode(at: 0, as: Bool.self) ? .accepted : .declined()
        } catch {
            guard Self.knowsNoHandoff(error), let text = activity.documentURL else { return .failed(error.message) }
            return await offer(text, to: app)
        }
    }

    /// Passes the document of an activity to an app that does not support Handoff but handles the activity's type.
    private func offer(_ text: String, to app: App) async -> Continuation.Response {
        do throws(HandoffError) {
            let document = try apps.document(at: text)
            try await permit(document, in: app.id, asInert: !document.inertTypes.isEmpty)
            try await open(document, with: app.id, startedBy: nil)
            return .accepted
        } catch {
            return Self.response(error)
        }
    }

    /// Lets a document be opened in an app, as `AppTracker.permit(_:in:asInert:of:hasAgreed:)`.
    func permit(_ document: OpenableDocument, in app: String, asInert isInert: Bool) async throws(HandoffError) {
        try await apps.permit(document, in: app, asInert: isInert, of: entry, hasAgreed: options.opensPrograms)
    }

    /// Returns the activity with the value by which the app requests a stream.
    private func fetched(_ activity: Activity) -> FetchedActivity {
        FetchedActivity(activity, continuation: ContinuationID(of: activity, from: device)?.description)
    }

    /// Starts the program of a command, with a web page or with an activity on its standard input; parameters as of
    /// ``launch(_:of:_:waits:)``.
    private func launch(
        _ command: AppCommand,
        url: String? = nil,
        of app: String,
        _ document: ActivityDocument? = nil,
        waits: Bool = false
    ) async -> Continuation.Response {
        do {
            let program = try apps.documentApps.launcher.launch(command, url: url)
            return await launch(program, of: app, document, waits: waits)
        } catch {
            return .failed(Self.message(error, of: command))
        }
    }

    /// Starts a program, and finds out whether it goes on with the activity.
    ///
    /// - Parameters:
    ///   - launch: the program, and how it is started.
    ///   - app: the id of the app; nil for a program that is none.
    ///   - document: what it gets on its standard input; nil for nothing.
    ///   - waits: whether it tells itself when it goes on.
    func launch(
        _ launch: AppLaunch,
        of app: String? = nil,
        _ document: ActivityDocument? = nil,
        waits: Bool = false
    ) async -> Continuation.Response {
        var program = LaunchedProgram.app(launch, of: app, options.activationToken)
        if let document, let input = try? JSONEncoder().encode(document) { program.input = Array(input) }
        do {
            return waits
                ? try await launchWaiting(program)
                : try await launchBriefly(program, knowsHandoff: document != nil)
        } catch {
            return .failed("\(launch.arguments[0]) could not be started: \(error)")
        }
    }

    /// Starts a program, which goes on with the activity if it ends with the status 0 or still runs after a while.
    ///
    /// - Parameter knowsHandoff: whether it was given the activity, and tells by its status what it does with it.
    /// - Throws: as `AppTracker.launch(_:over:)`.
    func launchBriefly(_ program: LaunchedProgram, knowsHandoff: Bool) async throws -> Continuation.Response {
        let running = try await apps.launch(program, over: connection)
        let status = try? await withTimeout(Self.programLimit) { try await running.end.value() }
        guard let status = status ?? nil else { return .accepted }
        let name = program.command[0]
        return knowsHandoff
            ? Continuation.Response(of: name, status: status, isEarly: true)
            : Continuation.Response(ofCommand: name, status: status)
    }

    /// The response of an app that was not given a document.
    private static func response(_ error: HandoffError) -> Continuation.Response {
        error.code == .documentIsProgram ? .withheld(error) : .failed(error.message)
    }

    /// Whether the app's answer means that it has no `Application1`.
    private static func knowsNoHandoff(_ error: DBusError) -> Bool {
        guard let name = error.name?.description else { return false }
        return ["UnknownMethod", "UnknownInterface", "UnknownObject"].contains { name.hasSuffix(".Error." + $0) }
    }
}
