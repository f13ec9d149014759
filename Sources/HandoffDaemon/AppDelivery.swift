import DBus
import FoundationEssentials
import HandoffApps
import HandoffBus
import HandoffCore
import HandoffModel
// FoundationEssentials has a DeviceID of the file system.
import struct HandoffModel.DeviceID

/// The ways to bring an activity to an app or into a browser, for one continuation.
struct AppDelivery: Sendable {
    let connection: Connection
    let apps: AppService
    /// What the origin is called.
    let deviceName: String
    /// The origin.
    let device: DeviceID
    let options: ContinuationOptions

    /// How long an app may take to say whether it goes on with an activity, its start among it.
    private static let limit = Duration.seconds(30)

    /// Tells an app on the bus that an activity is coming, and starts it if need be.
    func announce(_ type: ActivityType, to app: App, _ limit: Duration) async -> Continuations.Announcement {
        do {
            _ = try await connection.call(try calls(to: app).willContinue(type), timeout: limit)
            return .taken
        } catch {
            // An app that crashed, is slow or knows no such method may have heard it all the same.
            return Self.isAbsence(error) ? .impossible : .taken
        }
    }

    /// Gives an app the activity, and starts it if need be.
    func handOver(_ activity: Activity, to app: App) async -> Continuations.Reception {
        switch app.entrance {
        case .bus: await call(app, activity)
        case .program(let line): launch(line.arguments(), ActivityDocument(fetched(activity), deviceName))
        case .webpage(let line): launch(line.arguments(url: activity.webpageURL?.rawValue))
        }
    }

    /// Tells an app that the activity does not come.
    func reportFailure(of type: ActivityType, to app: App, _ error: HandoffErrorName, _ message: String) {
        guard let calls = try? calls(to: app) else { return }
        connection.send(calls.didFail(type, error, message))
    }

    /// Opens the web page of an activity: by the desktop's portal, else by xdg-open.
    ///
    /// - Returns: why it failed; nil when it is open.
    func openWebpage(of activity: Activity) async -> HandoffError? {
        guard let url = activity.webpageURL?.rawValue else {
            return HandoffError(.notContinuable, "The activity has no web page.")
        }
        do throws(DBusError) {
            // xdg-desktop-portal, "OpenURI": parent window, address, options.
            _ = try await connection.call(
                MethodCall(
                    destination: "org.freedesktop.portal.Desktop",
                    path: "/org/freedesktop/portal/desktop",
                    interface: "org.freedesktop.portal.OpenURI",
                    member: "OpenURI",
                    arguments: [.string(""), .string(url), portalOptions.value]
                )
            )
            return nil
        } catch {
            guard case .failed(let reason) = launch(["xdg-open", url]) else { return nil }
            return HandoffError(.appFailed, "The web page does not open: \(error.message) xdg-open: \(reason)")
        }
    }

    private var portalOptions: [String: Value] {
        options.activationToken.map { ["activation_token": .string($0)] } ?? [:]
    }

    private func calls(to app: App) throws(DBusError) -> ApplicationCalls {
        var entries: [String: Value] = [ApplicationCalls.Option.deviceName: .string(deviceName)]
        entries[ApplicationCalls.Option.activationToken] = options.activationToken.map(Value.string)
        return try ApplicationCalls(id: app.id, options: entries)
    }

    private func call(_ app: App, _ activity: Activity) async -> Continuations.Reception {
        do throws(DBusError) {
            let reply = try await connection.call(try calls(to: app).continue(fetched(activity)), timeout: Self.limit)
            return try reply.decode(at: 0, as: Bool.self) ? .accepted : .declined
        } catch {
            return .failed(error.message)
        }
    }

    /// The activity with what the app asks for a stream by.
    private func fetched(_ activity: Activity) -> FetchedActivity {
        FetchedActivity(activity, continuation: ContinuationName(of: activity, from: device)?.description)
    }

    private func launch(_ command: [String], _ document: ActivityDocument? = nil) -> Continuations.Reception {
        var program = LaunchedProgram(command: command)
        if let document, let input = try? JSONEncoder().encode(document) { program.input = Array(input) }
        // XDG Activation, "Activation tokens": how a program that is started gets its token.
        program.environment["XDG_ACTIVATION_TOKEN"] = options.activationToken
        do {
            try apps.launch(program)
            return .accepted
        } catch {
            return .failed("\(command[0]) does not start: \(error)")
        }
    }

    /// Whether the bus says that nobody has that name, nor can be started to have it.
    private static func isAbsence(_ error: any Error) -> Bool {
        guard let name = (error as? DBusError)?.name?.description else { return error as? DBusError == nil }
        let prefix = "org.freedesktop.DBus.Error."
        return [prefix + "ServiceUnknown", prefix + "NameHasNoOwner"].contains(name)
            || name.hasPrefix(prefix + "Spawn.")
    }
}

/// An activity as `X-Handoff-Exec` programs read it: the form of `handoffctl continue --print --json`.
struct ActivityDocument: Encodable {
    let deviceName: String
    let type: String
    let title: String?
    let webpageURL: String?
    let userInfo: [String: UserInfoJSON]
    /// For `OpenStream`, where the app that began it takes streams.
    let continuation: String?

    init(_ fetched: FetchedActivity, _ deviceName: String) {
        let activity = fetched.activity
        continuation = fetched.continuation
        self.deviceName = deviceName
        type = activity.type.rawValue
        title = activity.title
        webpageURL = activity.webpageURL?.rawValue
        userInfo = activity.userInfo.mapValues { UserInfoJSON($0) }
    }
}
