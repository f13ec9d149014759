import AsyncSupport
import DBus
import HandoffBus
import HandoffClient
import HandoffTestSupport
import TestLimits
import Testing

@Suite("Following a daemon", .endsWithin(minutes: 5, instances: 1))
struct DaemonFollowerTests {
    /// What was reported, in order; a daemon by its name.
    private enum Step: Hashable {
        case gone, came, unreadable(String), read(String), signal(String?)
    }

    @Test("A daemon that cannot be read at first is read again, without a signal")
    func readsAgainAfterFailure() async throws {
        let steps = try await following(failures: 2) { steps, _, _ in
            try await steps.first { $0.last == .read(Self.name) }
        }
        #expect(
            steps.drop(while: { $0 == .gone }) == [.came, .unreadable("No."), .unreadable("No."), .read(Self.name)]
        )
    }

    @Test("A request to read makes a daemon be read that is there")
    func refreshes() async throws {
        let steps = try await following { steps, follower, _ in
            _ = try await steps.first { $0.last == .read(Self.name) }
            follower.refresh()
            return try await steps.first { $0.count(of: .read(Self.name)) == 2 }
        }
        #expect(steps.drop(while: { $0 == .gone }) == [.came, .read(Self.name), .read(Self.name)])
    }

    @Test("A signal changes what is known, and the daemon is not read again")
    func folds() async throws {
        let steps = try await following { steps, _, daemon in
            _ = try await steps.first { $0.last == .read(Self.name) }
            daemon.emitChange(["DeviceName": .string("book")])
            daemon.emitChange(["DeviceName": .string("desk")])
            return try await steps.first { $0.last == .signal("desk") }
        }
        #expect(steps.drop(while: { $0 == .gone }) == [.came, .read(Self.name), .signal("book"), .signal("desk")])
    }

    @Test("What no signal tells is read after the signal that says that it has changed")
    func readsApps() async throws {
        let steps = try await following(contents: [.status, .apps]) { steps, _, daemon in
            _ = try await steps.first { $0.last == .read(Self.name) }
            daemon.emit(.appsChanged)
            return try await steps.first { $0.count(of: .read(Self.name)) == 2 }
        }
        let name = Self.name
        #expect(steps.drop(while: { $0 == .gone }) == [.came, .read(name), .signal(name), .read(name)])
    }

    @Test("An error of who gets the events ends the follower")
    func ends() async throws {
        struct Enough: Error {}
        try await FakeDaemon.whileOnBus { _, _, client in
            let follower = DaemonFollower(client: client, contents: []) { event in
                if case .read = event { throw Enough() }
            }
            await #expect(throws: Enough.self) { try await follower.run() }
        }
    }

    @Test("The first thing that is looked for is found in what the daemon tells, or after a signal")
    func first() async throws {
        try await FakeDaemon.whileOnBus { _, daemon, client in
            let now = try await client.first(in: .status) { $0.status.deviceName == Self.name ? Self.name : nil }
            #expect(now == Self.name)
            let wait: @Sendable () -> Void = { daemon.emitChange(["DeviceName": .string("book")]) }
            let later = try await client.first(in: .status, wait: wait) { mirror in
                mirror.status.deviceName == "book" ? mirror.status.deviceName : nil
            }
            #expect(later == "book")
        }
    }

    @Test("A daemon that leaves and one that comes are reported, and it is known at once that there is none")
    func comesAndGoes() async throws {
        try await withPrivateBus { bus in
            try await Connection.withConnection(to: bus.address) { connection in
                let steps = CurrentValue<[Step]>([])
                let follower = Self.follower(
                    of: HandoffClient(connection: connection),
                    steps,
                    failures: 0,
                    contents: []
                )
                try await withBackgroundTasks([{ try await follower.run() }]) {
                    try await follower.hasLooked.value()
                    #expect(steps.value == [.gone])
                    try await Connection.withConnection(to: bus.address) { server in
                        try await server.withName(HandoffName.control) {
                            _ = try await steps.first { $0.last == .read("") }
                        }
                    }
                    let all = try await steps.first { $0.last == .gone && $0.count > 1 }
                    #expect(all == [.gone, .came, .read(""), .gone])
                }
            }
        }
    }

    /// The name of the device of the fake daemon.
    private static let name = "laptop"

    /// Follows a fake daemon, reading which fails some times, and returns what `body` has waited for.
    private func following(
        failures: Int = 0,
        contents: DaemonMirror.Contents = .status,
        until body: @escaping @Sendable (CurrentValue<[Step]>, DaemonFollower, FakeDaemon) async throws -> [Step]
    ) async throws -> [Step] {
        try await FakeDaemon.whileOnBus { _, daemon, client in
            let steps = CurrentValue<[Step]>([])
            let follower = Self.follower(of: client, steps, failures: failures, contents: contents)
            return try await withBackgroundTasks([{ try await follower.run() }]) {
                try await body(steps, follower, daemon)
            }
        }
    }

    private static func follower(
        of client: HandoffClient,
        _ steps: CurrentValue<[Step]>,
        failures: Int,
        contents: DaemonMirror.Contents
    ) -> DaemonFollower {
        DaemonFollower(
            client: client,
            contents: contents,
            pauses: Backoff(first: .milliseconds(1), longest: .milliseconds(1))
        ) {
            let failed = steps.value.count { if case .unreadable = $0 { true } else { false } }
            guard failed >= failures else { throw DBusError(.remote, "No.") }
        } report: { event in
            steps.modify { $0.append(step(event)) }
        }
    }

    private static func step(_ event: DaemonFollower.Event) -> Step {
        switch event {
        case .gone: .gone
        case .came: .came
        case .read(let mirror): .read(mirror.status.deviceName)
        case .signal(_, let mirror): .signal(mirror?.status.deviceName)
        case .unreadable(let error): .unreadable((error as? DBusError)?.message ?? "\(error)")
        }
    }
}

extension CurrentValue where Value: Sendable {
    /// The value as soon as it meets the condition.
    fileprivate func first(_ condition: (Value) -> Bool) async throws -> Value {
        var seen = current
        while !condition(seen.value) { seen = try await changed(since: seen) }
        return seen.value
    }
}

extension Array where Element: Hashable {
    fileprivate func count(of element: Element) -> Int { count { $0 == element } }
}
