import DBus
import Foundation
import HandoffBus
import HandoffTestSupport
import Synchronization
import TestRuns

/// A notification server with the methods and signals that the daemon uses.
struct FakeNotificationServer: Sendable {
    /// The arguments of a call of `Notify`.
    struct Notification: Sendable {
        /// The id that it got.
        let id: UInt32
        let replaces: UInt32
        let icon: String
        let summary: String
        let body: String
        let actions: [String]
        let hints: [String: Value]
    }

    private let capabilities: [String]
    private let notifications: AsyncStream<Notification>
    private let newNotifications: AsyncStream<Notification>.Continuation
    private let closed: AsyncStream<UInt32>
    private let newClosed: AsyncStream<UInt32>.Continuation

    private static let path: ObjectPath = "/org/freedesktop/Notifications"
    private static let interface: InterfaceName = "org.freedesktop.Notifications"
    /// The id of the first notification that it shows; the next ones have the following numbers.
    static let number: UInt32 = 7
    private let last = Last()

    private final class Last: Sendable {
        let number = Mutex(FakeNotificationServer.number - 1)
        let summaries = Mutex([String]())

        func nextNumber() -> UInt32 {
            number.withLock { number in
                number += 1
                return number
            }
        }
    }

    /// The summaries of all notifications that it was requested to show.
    var summaries: [String] { last.summaries.withLock { $0 } }

    init(_ capabilities: String...) {
        self.capabilities = capabilities
        (notifications, newNotifications) = AsyncStream.makeStream()
        (closed, newClosed) = AsyncStream.makeStream()
    }

    /// The next notification that it is requested to show.
    func next() async throws -> Notification {
        for await notification in notifications { return notification }
        throw CancellationError()
    }

    /// The next id that it is requested to close.
    func nextClosed() async throws -> UInt32 {
        for await number in closed { return number }
        throw CancellationError()
    }

    /// Runs `body` while the server is on the bus.
    func whileOnBus(on bus: PrivateBus, _ body: @escaping @Sendable (Connection) async throws -> Void) async throws {
        let interface = Interface(name: Self.interface, methods: [able, notify, close])
        try await bus.withService(NotificationsName.bus, at: Self.path, [interface], body)
    }

    /// Emits the signals of a click on a notification, with an activation token.
    func click(_ token: String, _ number: UInt32 = Self.number, action: String = "default", over connection: Connection)
    {
        for (member, text) in [("ActivationToken", token), ("ActionInvoked", action)] as [(MemberName, String)] {
            let arguments: [Value] = [.uint32(number), .string(text)]
            connection.emit(
                Signal(path: Self.path, interface: Self.interface, member: member, arguments: arguments)
            )
        }
    }

    /// Emits the signal that the user has closed a notification.
    func dismiss(_ number: UInt32, over connection: Connection) {
        let arguments: [Value] = [.uint32(number), .uint32(2)]
        connection.emit(
            Signal(path: Self.path, interface: Self.interface, member: "NotificationClosed", arguments: arguments)
        )
    }

    /// The next notification with a button that has that key.
    func next(with key: String) async throws -> Notification {
        while true {
            let notification = try await next()
            if notification.actions.contains(key) { return notification }
        }
    }

    /// The next notification with that summary.
    @discardableResult
    func next(_ summary: String) async throws -> Notification {
        while true {
            let notification = try await next()
            if notification.summary == summary { return notification }
        }
    }

    private var able: Method {
        Method(name: "GetCapabilities", outputs: [Argument(name: "capabilities", type: [String].valueType)]) { _ in
            .reply([capabilities.value])
        }
    }

    private var notify: Method {
        Method(
            name: "Notify",
            inputs: [
                Argument(name: "app_name", type: .string), Argument(name: "replaces_id", type: .uint32),
                Argument(name: "app_icon", type: .string), Argument(name: "summary", type: .string),
                Argument(name: "body", type: .string), Argument(name: "actions", type: [String].valueType),
                Argument(name: "hints", type: [String: Value].valueType),
                Argument(name: "expire_timeout", type: .int32),
            ],
            outputs: [Argument(name: "id", type: .uint32)]
        ) { invocation in
            let summary = try invocation.arguments.decode(at: 3, as: String.self)
            last.summaries.withLock { $0.append(summary) }
            let replaces = try invocation.arguments.decode(at: 1, as: UInt32.self)
            let id = replaces > 0 ? replaces : last.nextNumber()
            newNotifications.yield(
                Notification(
                    id: id,
                    replaces: replaces,
                    icon: try invocation.arguments.decode(at: 2, as: String.self),
                    summary: summary,
                    body: try invocation.arguments.decode(at: 4, as: String.self),
                    actions: try invocation.arguments.decode(at: 5, as: [String].self),
                    hints: invocation.arguments[6].stringDictionary ?? [:]
                )
            )
            return .reply([.uint32(id)])
        }
    }

    private var close: Method {
        Method(name: "CloseNotification", inputs: [Argument(name: "id", type: .uint32)]) { invocation in
            newClosed.yield(try invocation.arguments.decode(at: 0, as: UInt32.self))
            return .reply([])
        }
    }
}

/// A real notification server, dunst, on a virtual display.
struct Dunst: Sendable {
    private let environment: [String: String]
    /// What dunst prints about each notification.
    let output: Transcript

    /// Runs `body` while dunst is on the bus.
    static func whileOnBus(
        on bus: PrivateBus,
        in world: World,
        _ body: @escaping @Sendable (Dunst) async throws -> Void
    ) async throws {
        let configuration = world.directory.appending(path: "dunstrc")
        try Data().write(to: configuration)
        try await withVirtualDisplay { display in
            let environment = bus.environment.merging(display) { _, new in new }
            let arguments = ["-print", "-config", configuration.path()]
            try await withTranscript(of: "/usr/bin/dunst", arguments, environment: environment) { _, output in
                try await bus.waitForOwner(of: NotificationsName.bus)
                try await body(Dunst(environment: environment, output: output))
            }
        }
    }

    /// Clicks the newest notification.
    func click() async throws {
        _ = try await HandoffTestSupport.run("/usr/bin/dunstctl", ["action", "0"], environment: environment)
    }

    /// The number of notifications that are shown.
    func count() async throws -> String {
        let arguments = ["count", "displayed"]
        let result = try await HandoffTestSupport.run("/usr/bin/dunstctl", arguments, environment: environment)
        return result.stdout.filter(\.isNumber)
    }
}

enum NotificationsName {
    static let bus: BusName = "org.freedesktop.Notifications"
}

extension PrivateBus {
    /// Waits until the bus name has an owner, of that process if one is given.
    func waitForOwner(
        of name: BusName,
        process: UInt32? = nil,
        at place: String = #fileID,
        line: Int = #line
    ) async throws {
        try await awaiting("an owner of \(name)", at: place, line: line) {
            try await Connection.withConnection(to: address) { connection in
                try await connection.withOwner(of: name) { owners in
                    for await case let owner? in owners {
                        guard let process else { return }
                        // The owner may have gone since.
                        if (try? await connection.processID(of: owner)) == process { return }
                    }
                    throw CancellationError()
                }
            }
        }
    }
}
