import AsyncSupport
import DBus
import FoundationEssentials
import HandoffApps
import HandoffBus
import HandoffCore
import HandoffModel
// FoundationEssentials has a DeviceID for file systems.
import struct HandoffModel.DeviceID

/// The ways to pass an activity to an app or a browser, for one continuation.
struct AppDelivery: Sendable {
    let connection: Connection
    let apps: AppTracker
    /// The name of the origin.
    let deviceName: String
    /// The id of the origin.
    let device: DeviceID
    let options: ContinuationOptions

    /// The time limit for an app to answer whether it continues an activity, including its start.
    private static let limit = Duration.seconds(30)

    /// How long a program may run until it counts as one that goes on: one that cannot begin says so at once.
    private static let programLimit = Duration.seconds(2)

    /// Announces an activity to an app on the bus, which is started if necessary.
    func announce(_ type: ActivityType, to app: App, _ limit: Duration) async -> Continuation.Announcement {
        do {
            _ = try await connection.call(try calls(to: app).willContinue(type), timeout: limit)
            return .delivered
        } catch {
            // An app that crashed, is slow or does not have the method may have received the call nevertheless.
            return error.indicatesAbsentService ? .unreachable : .delivered
        }
    }

    /// Passes the activity to an app, which is started if necessary.
    func handOver(_ activity: Activity, to app: App) async -> Continuation.Response {
        switch app.launchMethod {
        case .bus: await call(app, activity)
        case .program(let line): await launch(line.arguments(), ActivityDocument(fetched(activity), deviceName))
        case .command(let line): await launch(Self.arguments(line, activity))
        }
    }

    /// Notifies an app that the activity will not arrive.
    func reportFailure(of type: ActivityType, to app: App, _ error: HandoffErrorName, _ message: String) {
        guard let calls = try? calls(to: app) else { return }
        connection.send(calls.didFail(type, error, message, isShown: options.showsFailure))
    }

    /// Opens the web page of an activity in the browser, or its document in the default app of the document's MIME
    /// type.
    func openElsewhere(_ activity: Activity) async -> Result<Continuation.Outcome, HandoffError> {
        var failure: HandoffError?
        if let url = activity.webpageURL {
            failure = await openWebpage(url)
            guard let failure else { return .success(.browser) }
            if failure.code == .userCancelled { return .failure(failure) }
        }
        guard let text = activity.documentURL else {
            return .failure(failure ?? HandoffError(.notContinuable, "The activity has no web page and no document."))
        }
        do throws(HandoffError) {
            return .success(.document(try await openDocument(text)))
        } catch {
            return .failure(failure ?? error)
        }
    }

    /// Opens a web page through the desktop's portal, or else through xdg-open.
    ///
    /// - Returns: why it failed; nil on success.
    private func openWebpage(_ url: WebpageURL) async -> HandoffError? {
        do {
            return try await openInPortal(url)
        } catch {
            guard case .failed(let reason) = await launch(["xdg-open", url.rawValue]) else { return nil }
            let first = (error as? DBusError)?.message ?? "\(error)"
            return HandoffError(.appFailed, "The web page could not be opened: \(first) xdg-open: \(reason)")
        }
    }

    /// Opens a web page through the desktop's portal, and waits for its response.
    ///
    /// - Returns: why the page was not opened, as the portal has answered; nil on success.
    /// - Throws: `DBusError` when there is no portal, or it cannot open pages.
    private func openInPortal(_ url: WebpageURL) async throws -> HandoffError? {
        let portal: BusName = "org.freedesktop.portal.Desktop"
        // xdg-desktop-portal, "Request": the result of a request is a signal of its object.
        let responses = MatchRule(sender: portal, interface: "org.freedesktop.portal.Request", member: "Response")
        let response = try await connection.withSignals(responses) { signals in
            // xdg-desktop-portal, "OpenURI": parent window, address, options.
            let reply = try await connection.call(
                MethodCall(
                    destination: portal,
                    path: "/org/freedesktop/portal/desktop",
                    interface: "org.freedesktop.portal.OpenURI",
                    member: "OpenURI",
                    arguments: [.string(""), .string(url.rawValue), portalOptions.value]
                )
            )
            let request = try reply.decode(at: 0, as: ObjectPath.self)
            return try await withTimeout(Self.limit) {
                for try await signal in signals where signal.path == request {
                    return try signal.arguments.decode(at: 0, as: UInt32.self)
                }
                throw CancellationError()
            }
        }
        switch response {
        case 0: return nil
        case 1: return HandoffError(.userCancelled, "The user did not open the web page.")
        case nil: return HandoffError(.appFailed, "The desktop did not answer whether it has opened the web page.")
        default: throw DBusError(.unexpectedReply, "The desktop could not open the web page.")
        }
    }

    /// Opens a document on this device; returns the id of the app.
    private func openDocument(_ text: String) async throws(HandoffError) -> String {
        let (document, app) = try apps.documentApp(for: text)
        switch app.launchMethod {
        case .bus:
            do throws(DBusError) {
                try await open(document, with: app.id)
            } catch {
                throw HandoffError(.appFailed, "\(app.id) could not open the document: \(error.message)")
            }
        case .command(let line):
            if case .failed(let reason) = await launch(line.arguments(opening: document)) {
                throw HandoffError(.appFailed, "The document could not be opened: \(reason)")
            }
        }
        return app.id
    }

    /// Asks an app on the bus to open a document, in the way that desktops do.
    private func open(_ document: FileURL, with id: String) async throws(DBusError) {
        let call = try ApplicationCalls(id: id).open(
            [document.description],
            activationToken: options.activationToken
        )
        _ = try await connection.call(call, timeout: Self.limit)
    }

    private static func arguments(_ line: ExecLine, _ activity: Activity) -> [String] {
        // If a program accepts only one address, a web page takes precedence over a document.
        let document = activity.documentURL.flatMap { try? FileURL($0) }
        if let page = activity.webpageURL, line.takesURL || document == nil {
            return line.arguments(url: page.rawValue)
        }
        return document.map { line.arguments(opening: $0) } ?? line.arguments()
    }

    private var portalOptions: [String: Value] {
        options.activationToken.map { ["activation_token": .string($0)] } ?? [:]
    }

    private func calls(to app: App) throws(DBusError) -> ApplicationCalls {
        var entries: [String: Value] = [ApplicationCalls.Option.deviceName: .string(deviceName)]
        entries[ApplicationCalls.Option.activationToken] = options.activationToken.map(Value.string)
        return try ApplicationCalls(id: app.id, options: entries)
    }

    private func call(_ app: App, _ activity: Activity) async -> Continuation.Response {
        do throws(DBusError) {
            let reply = try await connection.call(try calls(to: app).continue(fetched(activity)), timeout: Self.limit)
            return try reply.decode(at: 0, as: Bool.self) ? .accepted : .declined
        } catch {
            guard Self.knowsNoHandoff(error), let document = activity.documentURL.flatMap({ try? FileURL($0) }) else {
                return .failed(error.message)
            }
            return await offer(document, to: app)
        }
    }

    /// Passes the document of an activity to an app that does not support Handoff but handles the activity's type.
    private func offer(_ document: FileURL, to app: App) async -> Continuation.Response {
        do throws(DBusError) {
            try await open(document, with: app.id)
            return .accepted
        } catch {
            return .failed(error.message)
        }
    }

    /// Returns the activity with the value by which the app requests a stream.
    private func fetched(_ activity: Activity) -> FetchedActivity {
        FetchedActivity(activity, continuation: ContinuationID(of: activity, from: device)?.description)
    }

    /// Starts a program, which goes on with the activity if it ends with the status 0 or still runs after a while.
    private func launch(_ command: [String], _ document: ActivityDocument? = nil) async -> Continuation.Response {
        var program = LaunchedProgram(command: command)
        if let document, let input = try? JSONEncoder().encode(document) { program.input = Array(input) }
        // XDG Activation, "Activation tokens", and Startup Notification 0.1: how a launched program receives its token.
        program.environment["XDG_ACTIVATION_TOKEN"] = options.activationToken
        program.environment["DESKTOP_STARTUP_ID"] = options.activationToken
        do {
            let end = try apps.launch(program)
            let status = try? await withTimeout(Self.programLimit) { try await end.value() }
            guard let status = status ?? nil, status != 0 else { return .accepted }
            return .failed("\(command[0]) ended with the status \(status).")
        } catch {
            return .failed("\(command[0]) could not be started: \(error)")
        }
    }

    /// Whether the app's answer means that it has no `Application1`.
    private static func knowsNoHandoff(_ error: DBusError) -> Bool {
        guard let name = error.name?.description else { return false }
        return ["UnknownMethod", "UnknownInterface", "UnknownObject"].contains { name.hasSuffix(".Error." + $0) }
    }
}
