package import DBus
package import HandoffBus
package import HandoffClient

/// Everything that the tray item, its menu and the search show.
package struct DesktopState: Hashable, Sendable {
    /// The daemon, as far as it is known.
    package enum Daemon: Hashable, Sendable {
        /// No program owns its name.
        case absent
        /// It has just come, and was not read yet.
        case starting
        /// It does not answer as a daemon does; a sentence.
        case unusable(String)
        case running(DaemonMirror)
    }

    /// What the menu offers about pairing.
    package enum Pairing: Hashable, Sendable {
        case idle
        case searching
        /// The digits are shown, or were closed without an answer.
        case comparing
        /// The user has confirmed; the device of that name decides.
        case confirmed(String)
    }

    /// Whether a keyboard shortcut can be had of the desktop's portal.
    package enum Shortcut: Hashable, Sendable {
        case unavailable
        case offered
        /// It is set, with the keys as the desktop describes them; empty if it does not.
        case bound(String)
    }

    package var daemon: Daemon = .absent
    /// The activities that are being continued here, by whichever program, and the step that each has come to.
    package var continuations: [ObjectPath: NearbyActivityEvent.Step] = [:]
    /// Those that this program continues, which it can cancel.
    package var ownContinuations: Set<ObjectPath> = []
    /// The titles of nearby activities that are known.
    package var titles: [ObjectPath: String] = [:]
    package var pairing: Pairing = .idle
    package var shortcut: Shortcut = .unavailable
    /// Whether the program with the window of Handoff is installed.
    package var hasWindow = false
    /// The last thing that failed, in a sentence; nil when nothing has failed since the last success.
    package var failure: String?

    /// Makes the state of a desktop without a daemon.
    package init() {}

    /// The running daemon.
    package var mirror: DaemonMirror? { if case .running(let mirror) = daemon { mirror } else { nil } }

    /// Takes what has happened at the daemon.
    package mutating func take(_ event: DaemonFollower.Event) {
        switch event {
        case .gone: replaceDaemon(with: .absent)
        case .came: replaceDaemon(with: .starting)
        case .read(let mirror): replaceDaemon(with: .running(mirror))
        case .signal(let signal, let mirror):
            if case .running = daemon, let mirror { take(signal, mirror) }
        case .unreadable(let error):
            let reason = (error as? DBusError)?.message ?? "\(error)"
            replaceDaemon(with: .unusable("handoffd does not answer: \(reason)"))
        }
    }

    private mutating func take(_ signal: Signal, _ mirror: DaemonMirror) {
        switch (signal.interface, signal.member) {
        case (HandoffName.nearbyActivityInterface, "ContinuationStarted"): continuations[signal.path] = .fetching
        case (HandoffName.nearbyActivityInterface, "ContinuationStep"):
            // An unknown step of a newer daemon leaves the last one.
            continuations[signal.path] = NearbyActivityEvent.Step(signal) ?? continuations[signal.path] ?? .fetching
        case (HandoffName.nearbyActivityInterface, "ContinuationEnded"): continuations[signal.path] = nil
        default:
            daemon = .running(mirror)
            let paths = Set(mirror.objects.nearby.map(\.path))
            titles = titles.filter { paths.contains($0.key) }
        }
    }

    /// Replaces the daemon; what the last one did has ended when there is another one, or none.
    package mutating func replaceDaemon(with daemon: Daemon) {
        if case .running = daemon {} else { (continuations, titles) = ([:], [:]) }
        self.daemon = daemon
    }
}
