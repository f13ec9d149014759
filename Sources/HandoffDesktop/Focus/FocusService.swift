import AsyncSupport
import DBus
import Epoll
import HandoffBus

/// Tells the daemon which process has the focus, as far as the desktop tells: on displays of X11 the server, on Wayland the
/// compositor, or else the apps themselves.
///
/// Where nobody tells, as without this service, the app that asked last is current.
struct FocusService: Sendable {
    /// The shortest time between two calls; those about the windows that a person passes meanwhile follow at once.
    private static let pause = Duration.milliseconds(250)
    /// How long after a call that has failed it is made again.
    private static let delay = Duration.seconds(1)
    /// The bus name of Handoff's own window: a person who looks there has not turned to another app.
    private static let window: BusName = "org.handoffd.Window"

    private struct Told: Hashable, Sendable {
        var process: UInt32?
        var daemon: BusName?
    }

    private let client: HandoffClient
    private let display: X11Focus?
    private let session: SessionFocus
    private let current = CurrentValue(Told())
    /// The processes that had the focus since the daemon was told the last time, in their order.
    ///
    /// It has to know each, if only for a moment: the activity of a process that never had the focus is one of a program
    /// without a window, which is offered whatever has the focus.
    private let passed = RecentValues<UInt32>(limit: 8)

    /// - Parameters:
    ///   - client: the daemon.
    ///   - environment: names the displays, as `DISPLAY`, `XAUTHORITY` and `WAYLAND_DISPLAY`, and the directory of the
    ///     session's files.
    init(client: HandoffClient, environment: [String: String]) {
        self.client = client
        // A user manager may know of one of them only.
        let wayland = ["WAYLAND_DISPLAY", "SWAYSOCK", "HYPRLAND_INSTANCE_SIGNATURE"]
        let isWayland =
            wayland.contains { environment[$0]?.isEmpty == false } || environment["XDG_SESSION_TYPE"] == "wayland"
        display = isWayland ? nil : X11Focus(environment)
        session = SessionFocus(connection: client.connection, environment: environment)
    }

    /// Runs until cancelled; on a desktop that does not tell it does nothing.
    ///
    /// - Throws: `DBusError` when the bus is lost, `DisplayError` when a display is gone that was followed.
    func run() async throws {
        let followers: [@Sendable () async throws -> Void] = [{ try await follow() }, { try await followDaemon() }]
        try await withBackgroundTasks(followers) {
            var (seen, last) = (current.initial, Told())
            while true {
                seen = try await current.changed(since: seen)
                var next = seen.value
                for process in passed.take() where await !isOwnWindow(process) {
                    guard process != next.process, let daemon = next.daemon else { continue }
                    let told = Told(process: process, daemon: daemon)
                    if told != last, try await tell(told) { last = told }
                }
                if let process = next.process, await isOwnWindow(process) { next.process = last.process }
                // A daemon that comes does not know yet; one that nobody has told anything needs not be told so.
                guard next.daemon != nil, next != last, next.process != nil || last.process != nil else { continue }
                last = try await tell(next) ? next : last
                try await sleep(for: Self.pause)
            }
        }
    }

    /// Whether a process is that of Handoff's own window.
    private func isOwnWindow(_ process: UInt32) async -> Bool {
        await (try? client.connection.processID(of: Self.window)) == process
    }

    /// Tells the daemon; returns whether it need not be told again.
    private func tell(_ focus: Told) async throws -> Bool {
        do {
            try await client.setFocus(focus.process)
            return true
        } catch {
            try await sleep(for: Self.delay)
            current.modify { _ in }
            return false
        }
    }

    /// Follows the focus on the display, or else in the session.
    private func follow() async throws {
        if let display { try await follow(display) }
        try await session.follow { report($0) }
    }

    private func report(_ report: FocusReport) {
        switch report {
        case .process(let process): saw(process)
        // The last app keeps it.
        case .nothing: break
        case .unknown: current.modify { $0.process = nil }
        }
    }

    /// Follows the focus until the display is gone; returns where there is none to follow.
    ///
    /// - Throws: `DisplayError` when a display is gone that was followed: the session ends, and the next one has another
    ///   program, which cannot start while this one has its name.
    private func follow(_ display: X11Focus) async throws {
        let isFollowed = CurrentValue(false)
        do {
            try await Reactor.withReactor { reactor in
                try await display.follow(on: reactor) { process in
                    isFollowed.set(true)
                    // While nothing has the focus, the last app keeps it.
                    if let process { saw(process) }
                }
            }
        } catch let error as DisplayError where error.code == .disconnected && isFollowed.value {
            throw error
        } catch {}
        current.modify { $0.process = nil }
    }

    /// Records that a process has the focus.
    private func saw(_ process: UInt32) {
        passed.add(process)
        current.modify { $0.process = process }
    }

    private func followDaemon() async throws {
        try await client.connection.withOwner(of: HandoffName.control) { owners in
            for await owner in owners { current.modify { $0.daemon = owner } }
        }
    }
}

extension X11Focus {
    /// The focus of the display that the environment names; nil if that is no display of this computer.
    fileprivate init?(_ environment: [String: String]) {
        guard let display = X11Display(environment["DISPLAY"] ?? "") else { return nil }
        let home = environment["HOME"].map { $0 + "/.Xauthority" }
        let path = environment["XAUTHORITY"].flatMap { $0.isEmpty ? nil : $0 } ?? home ?? ""
        self.init(of: display, X11Authority(path: path))
    }
}
