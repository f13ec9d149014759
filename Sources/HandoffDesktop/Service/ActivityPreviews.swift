import AsyncSupport
import DBus
import HandoffBus
import HandoffClient
import HandoffModel

/// What happens while the person looks at the menu: the daemon looks for activities with full effort, and the titles of
/// those that are near are fetched.
struct ActivityPreviews: Sendable {
    /// How long a look at the menu lasts: hosts do not always tell when they close it.
    private static let duration = Duration.seconds(15)
    /// The most titles that are fetched for one look.
    private static let mostTitles = 5

    private let client: HandoffClient
    private let follower: DaemonFollower
    private let state: CurrentValue<DesktopState>
    private let window: WindowOpener
    /// Counts the looks.
    private let looks = CurrentValue(0)

    init(
        client: HandoffClient,
        follower: DaemonFollower,
        state: CurrentValue<DesktopState>,
        window: WindowOpener
    ) {
        (self.client, self.follower, self.state, self.window) = (client, follower, state, window)
    }

    /// Notes that the person looks at the menu.
    func look() { looks.modify { $0 += 1 } }

    /// Runs until cancelled.
    func run() async throws {
        var seen = looks.initial
        var asked: Set<ObjectPath> = []
        while true {
            // It may be installed at any time; a menu that is open follows.
            let hasWindow = window.isInstalled
            if state.value.hasWindow != hasWindow { state.modify { $0.hasWindow = hasWindow } }
            seen = try await looks.changed(since: seen)
            guard state.value.mirror != nil else { continue }
            try? await client.startLooking()
            follower.refresh()
            try await fetchTitles(&asked)
            // Another look meanwhile makes this one last longer.
            while case let last = seen,
                let next = try await withTimeout(
                    Self.duration,
                    body: {
                        try await looks.changed(since: last)
                    }
                )
            {
                seen = next
                try await fetchTitles(&asked)
            }
            if state.value.mirror != nil { try? await client.stopLooking() }
        }
    }

    /// Fetches the titles of activities of which none was asked for: each fetch is seen on the air.
    private func fetchTitles(_ asked: inout Set<ObjectPath>) async throws {
        let current = state.value
        asked.formIntersection(current.activities.map(\.path))
        let unknown = current.activities.filter { $0.title == nil && $0.obstacle == nil && !asked.contains($0.path) }
        for activity in unknown.prefix(Self.mostTitles) {
            guard state.value.continuations.isEmpty, state.value.mirror != nil else { return }
            asked.insert(activity.path)
            guard let title = try await title(of: activity.path) else { continue }
            state.modify { $0.titles[activity.path] = title }
        }
    }

    /// Fetches an activity for its title, until one is continued: that matters more.
    private func title(of path: ObjectPath) async throws -> String? {
        let (client, state) = (client, state)
        let fetched = try? await race {
            try await client.fetchActivity(path).title
        } _: {
            var seen = state.current
            while seen.value.continuations.isEmpty, seen.value.ownContinuations.isEmpty, seen.value.mirror != nil {
                seen = try await state.changed(since: seen)
            }
            return nil
        }
        try Task.checkCancellation()
        return fetched ?? nil
    }
}
