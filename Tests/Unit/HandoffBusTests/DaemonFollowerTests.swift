import AsyncSupport
import DBus
import HandoffBus
import HandoffTestSupport
import TestLimits
import Testing

@Suite("Following a daemon", .endsWithin(minutes: 5, instances: 1))
struct DaemonFollowerTests {
    /// What was reported, and what was read, in order.
    private enum Step: Hashable {
        case gone, came, signal, unreadable(String), read
    }

    @Test("A daemon that cannot be read at first is read again, without a signal")
    func readsAgainAfterFailure() async throws {
        let steps = try await following(failures: 2) { steps, _ in
            try await steps.first { $0.last == .read }
        }
        #expect(steps.drop(while: { $0 == .gone }) == [.came, .unreadable("No."), .unreadable("No."), .read])
    }

    @Test("A request to read makes a daemon be read that is there")
    func refreshes() async throws {
        let steps = try await following(failures: 0) { steps, follower in
            _ = try await steps.first { $0.last == .read }
            follower.refresh()
            return try await steps.first { $0.count(of: .read) == 2 }
        }
        #expect(steps.drop(while: { $0 == .gone }) == [.came, .read, .read])
    }

    @Test("A follower that reads after signals reads again once a signal has come")
    func readsAfterSignals() async throws {
        try await FakeDaemon.whileOnBus { _, daemon, client in
            let steps = CurrentValue<[Step]>([])
            let follower = Self.follower(of: client, steps, failures: 0, readsAfterSignals: true)
            try await withBackgroundTasks([{ try await follower.run() }]) {
                _ = try await steps.first { $0.last == .read }
                daemon.emitChange(["Paused": .boolean(true)])
                let seen = try await steps.first { $0.count(of: .read) == 2 }
                #expect(seen.drop(while: { $0 == .gone }) == [.came, .read, .signal, .read])
            }
        }
    }

    @Test("A daemon that leaves and one that comes are reported, and it is known at once that there is none")
    func comesAndGoes() async throws {
        try await withPrivateBus { bus in
            try await Connection.withConnection(to: bus.address) { connection in
                let steps = CurrentValue<[Step]>([])
                let follower = Self.follower(of: HandoffClient(connection: connection), steps, failures: 0)
                try await withBackgroundTasks([{ try await follower.run() }]) {
                    try await follower.hasLooked.value()
                    #expect(steps.value == [.gone])
                    try await Connection.withConnection(to: bus.address) { server in
                        try await server.withName(HandoffName.control) {
                            _ = try await steps.first { $0.last == .read }
                        }
                    }
                    #expect(try await steps.first { $0.last == .gone && $0.count > 1 } == [.gone, .came, .read, .gone])
                }
            }
        }
    }

    /// Follows a fake daemon, reading which fails some times, and returns what `body` has waited for.
    private func following(
        failures: Int,
        until body: @escaping @Sendable (CurrentValue<[Step]>, DaemonFollower) async throws -> [Step]
    ) async throws -> [Step] {
        try await FakeDaemon.whileOnBus { _, _, client in
            let steps = CurrentValue<[Step]>([])
            let follower = Self.follower(of: client, steps, failures: failures)
            return try await withBackgroundTasks([{ try await follower.run() }]) { try await body(steps, follower) }
        }
    }

    private static func follower(
        of client: HandoffClient,
        _ steps: CurrentValue<[Step]>,
        failures: Int,
        readsAfterSignals: Bool = false
    ) -> DaemonFollower {
        DaemonFollower(
            client: client,
            pauses: Backoff(first: .milliseconds(1), longest: .milliseconds(1)),
            readsAfterSignals: readsAfterSignals
        ) { event in
            steps.modify { $0.append(step(event)) }
        } read: { _ in
            let failed = steps.value.count { if case .unreadable = $0 { true } else { false } }
            guard failed >= failures else { throw DBusError(.remote, "No.") }
            steps.modify { $0.append(.read) }
        }
    }

    private static func step(_ event: DaemonFollower.Event) -> Step {
        switch event {
        case .gone: .gone
        case .came: .came
        case .signal: .signal
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
