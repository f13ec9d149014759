import DBus
import Foundation
import HandoffBus
import HandoffModel
import HandoffTestSupport
import Synchronization
import TestRuns
import Testing

/// An app on the bus that continues activities.
struct RecordingApp: ApplicationHandler {
    private let calls = ReceivedCalls()
    private let accepts: Bool
    private let showsProgress: Bool
    private let last = LastActivity()

    private final class LastActivity: Sendable {
        let activity = Mutex<Activity?>(nil)
    }

    /// The activity that the app received last.
    var received: Activity? { last.activity.withLock { $0 } }

    init(accepts: Bool = true, showsProgress: Bool = true) {
        self.accepts = accepts
        self.showsProgress = showsProgress
    }

    func willContinue(_ type: ActivityType, from device: String) async throws -> Bool {
        calls.append("WillContinue \(type) from \(device)")
        return showsProgress
    }

    func `continue`(_ activity: FetchedActivity, from device: String) async throws -> Bool {
        last.activity.withLock { $0 = activity.activity }
        calls.append("Continue \(activity.continuation ?? activity.activity.title ?? "")")
        return accepts
    }

    func didFail(_ type: ActivityType, _ failure: ContinuationFailure) {
        calls.append("DidFail \(failure.error)")
    }

    /// The next call that the app receives.
    func next() async -> String { await calls.next() }
}

/// A desktop portal that implements only `OpenURI`.
struct FakePortal: Sendable {
    private let pages = ReceivedCalls()
    private let response: UInt32

    /// - Parameter response: the result of each request: 0 for success, 1 if the user cancels it, 2 for other ends.
    init(response: UInt32 = 0) {
        self.response = response
    }

    /// The next page that the portal is requested to open.
    func next() async -> String { await pages.next() }

    /// Runs `body` while the portal is on the bus.
    func whileOnBus(on bus: PrivateBus, _ body: @escaping @Sendable () async throws -> Void) async throws {
        let (requests, newRequests) = AsyncStream<Void>.makeStream()
        let open = Method(
            name: "OpenURI",
            inputs: [
                Argument(name: "parent_window", type: .string), Argument(name: "uri", type: .string),
                Argument(name: "options", type: [String: Value].valueType),
            ],
            outputs: [Argument(name: "handle", type: .objectPath)]
        ) { invocation in
            pages.append(try invocation.arguments.decode(at: 1, as: String.self))
            newRequests.yield()
            return .reply([.objectPath("/request")])
        }
        let interface = Interface(name: "org.freedesktop.portal.OpenURI", methods: [open])
        let path: ObjectPath = "/org/freedesktop/portal/desktop"
        try await bus.withService("org.freedesktop.portal.Desktop", at: path, [interface]) { connection in
            try await withServices([
                {
                    for await _ in requests {
                        connection.emit(
                            Signal(
                                path: "/request",
                                interface: "org.freedesktop.portal.Request",
                                member: "Response",
                                arguments: [.uint32(response), [String: Value]().value]
                            )
                        )
                    }
                }
            ]) { try await body() }
        }
    }
}

extension World {
    /// The data directory in which the desktop's apps are installed.
    var share: URL { directory.appending(path: "share") }

    /// Writes a file and creates its directory.
    func write(_ text: String, to path: String) throws {
        let file = directory.appending(path: path)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file, options: .atomic)
    }

    /// Writes a program with a separate process.
    ///
    /// Linux executes no file that a process has open for writing (ETXTBSY, execve(2)), and a process that another test
    /// forks at the same moment inherits this one's open files until it executes its own program.
    func writeProgram(_ text: String, to path: String) async throws {
        try write(text, to: path + ".text")
        let file = directory.appending(path: path).path()
        let copying = try ChildProcess("/usr/bin/install", ["-m", "755", file + ".text", file])
        try #require(await copying.exitStatus() == 0)
    }

    /// Writes a desktop file that declares the activity type `org.example.edit`.
    func writeApp(_ id: String, _ lines: String) throws {
        let head = "[Desktop Entry]\nType=Application\nName=Editor\nX-Handoff-ActivityTypes=org.example.edit;\n"
        try write(head + lines + "\n", to: "share/applications/\(id).desktop")
    }

    /// The environment with which a daemon finds these apps and executes programs of this world.
    var appVariables: [String: String] {
        [
            "XDG_DATA_HOME": share.path(), "XDG_DATA_DIRS": "/nowhere",
            "PATH": directory.appending(path: "bin").path() + ":/usr/bin:/bin",
        ]
    }

    /// Runs `story` with a laptop, and a desktop with apps, which trust each other.
    static func runApps(
        _ prepare: @escaping @Sendable (World) async throws -> Void,
        _ story: @escaping @Sendable (World, _ laptop: Device, _ desktop: Device) async throws -> Void
    ) async throws {
        try await run { world in
            try await prepare(world)
            let services = world.directory.appending(path: "services")
            try FileManager.default.createDirectory(at: services, withIntermediateDirectories: true)
            try await world.withDevice("laptop") { laptop in
                try await withPrivateBus(services: services) { bus in
                    try await world.withDaemon("desktop", on: bus, variables: world.appVariables) { desktop in
                        try await laptop.trustEachOther(desktop)
                        // That a device was added; a server that a story starts meanwhile would get it.
                        try await desktop.log.event("notification.failed")
                        try await story(world, laptop, desktop)
                    }
                }
            }
        }
    }
}
