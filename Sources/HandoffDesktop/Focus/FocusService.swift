import AsyncSupport
import DBus
import Epoll
import HandoffBus
import X11

/// Tells the daemon which process has the focus, where the desktop tells: on displays of X11.
///
/// In a Wayland session, only programs of X11 could be followed, so that what the person uses would be taken for something
/// else: there, as without this service, the app that asked last is current.
struct FocusService: Sendable {
    /// The shortest time between two calls: of the windows that a person passes meanwhile, the last one counts.
    private static let pause = Duration.milliseconds(250)

    private struct Told: Hashable, Sendable {
        var process: UInt32?
        var daemon: BusName?
    }

    private let client: HandoffClient
    private let focus: X11Focus?
    private let current = CurrentValue(Told())

    /// - Parameters:
    ///   - client: the daemon.
    ///   - environment: names the display, as `DISPLAY` and `XAUTHORITY`.
    init(client: HandoffClient, environment: [String: String]) {
        self.client = client
        let isWayland = environment["WAYLAND_DISPLAY"]?.isEmpty == false
        focus = isWayland ? nil : X11Focus(environment)
    }

    /// Runs until cancelled; without a display of X11 it does nothing.
    ///
    /// - Throws: `DBusError` when the bus is lost.
    func run() async throws {
        guard let focus else { try await untilCancelled() }
        let followers: [@Sendable () async throws -> Void] = [
            { try await follow(focus) }, { try await followDaemon() },
        ]
        try await withBackgroundTasks(followers) {
            var (seen, last) = (current.initial, Told())
            while true {
                seen = try await current.changed(since: seen)
                // A daemon that comes does not know yet; one that nobody has told anything needs not be told so.
                guard seen.value.daemon != nil, seen.value != last,
                    seen.value.process != nil || last.process != nil
                else { continue }
                last = seen.value
                // A daemon of an earlier version lacks the method.
                try? await client.setFocus(seen.value.process)
                try await Task.sleep(for: Self.pause)
            }
        }
    }

    /// Follows the focus until the display is gone: then it is unknown, and the session ends.
    private func follow(_ focus: X11Focus) async throws {
        let current = current
        try? await Reactor.withReactor { reactor in
            try await focus.follow(on: reactor) { process in current.modify { $0.process = process } }
        }
        current.modify { $0.process = nil }
        try await untilCancelled()
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
