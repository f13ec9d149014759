import AsyncSupport
import DBus
import Epoll
import Synchronization

/// Follows which process has the window with the focus in a session of Wayland: as its compositor tells, or else as the apps
/// tell themselves.
struct SessionFocus: Sendable {
    /// How often, and how long, it is looked for a compositor when a socket has appeared, which it may not listen on yet.
    private static let looks = 7
    private static let delay = Duration.milliseconds(250)
    private static let longestDelay = Duration.seconds(60)

    private let connection: Connection
    private let kwin: KWinFocus?
    private let compositor: SessionCompositor?
    private let apps: AccessibleFocus

    /// - Parameters:
    ///   - connection: a connection to the session bus.
    ///   - environment: names the display and the directory of the session's files.
    init(connection: Connection, environment: [String: String]) {
        self.connection = connection
        kwin = KWinFocus(connection: connection, environment: environment)
        compositor = SessionCompositor(environment: environment)
        apps = AccessibleFocus(connection: connection)
    }

    /// Follows the focus until cancelled.
    ///
    /// - Parameter change: is called after each change. It must not block.
    /// - Throws: `DBusError` when the bus is lost, `CancellationError`.
    func follow(_ change: @escaping @Sendable (FocusReport) -> Void) async throws {
        let owner = CurrentValue<BusName?>(nil)
        let watch: @Sendable () async throws -> Void = {
            try await connection.withOwner(of: KWinFocus.service) { owners in
                for await next in owners { owner.set(next) }
            }
        }
        try await withBackgroundTasks([watch]) {
            var seen = try await owner.changed(since: owner.initial)
            while true {
                let now = seen
                seen = try await race {
                    try await owner.changed(since: now)
                } _: {
                    if let name = now.value, let kwin {
                        // KWin has its name on the bus before it can be told anything.
                        try await followAgain(change) { try await kwin.follow(name, change) }
                    } else {
                        try await followWithoutKWin(change)
                    }
                    return try await owner.changed(since: now)
                }
                change(.unknown)
            }
        }
    }

    /// Follows the focus as the compositor tells, and as the apps do while there is none that tells.
    private func followWithoutKWin(_ change: @escaping @Sendable (FocusReport) -> Void) async throws {
        guard let compositor else { return try await followAgain(change) { try await apps.follow(change) } }
        let backoff = Mutex(Backoff(first: Self.delay, longest: Self.longestDelay))
        while true {
            if let found = compositor.find() {
                do {
                    try await follow(found) { report in
                        backoff.withLock { $0.reset() }
                        change(report)
                    }
                } catch {
                    try Task.checkCancellation()
                }
                change(.unknown)
            }
            let delay = backoff.withLock { $0.advance() }
            try await race {
                try await wait(for: compositor, after: delay)
            } _: {
                try await followAgain(change) { try await apps.follow(change) }
            }
            change(.unknown)
        }
    }

    private func follow(_ sway: SwayFocus, _ change: (FocusReport) -> Void) async throws {
        try await Reactor.withReactor { reactor in try await sway.follow(on: reactor, change) }
    }

    /// Waits until there is a compositor that tells.
    private func wait(for compositor: SessionCompositor, after delay: Duration) async throws {
        try await sleep(for: delay)
        while true {
            // Anew each time: a directory that has appeared was not watched before.
            let watch = compositor.watch()
            var delays = Backoff(first: Self.delay, longest: Self.longestDelay)
            for _ in 0..<Self.looks where compositor.mayAppear {
                if compositor.find() != nil { return }
                try await delays.wait()
            }
            try await watch.changed(orAfter: Self.longestDelay)
        }
    }

    /// Follows the focus until cancelled, again whenever that fails.
    private func followAgain(
        _ change: @Sendable (FocusReport) -> Void,
        _ follow: @Sendable () async throws -> Void
    ) async throws {
        var backoff = Backoff(first: Self.delay, longest: Self.longestDelay)
        while true {
            do {
                try await follow()
            } catch is CancellationError {
                throw CancellationError()
            } catch {}
            change(.unknown)
            try await backoff.wait()
        }
    }
}
