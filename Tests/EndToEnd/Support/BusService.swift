import DBus
import HandoffBus
import HandoffTestSupport

extension PrivateBus {
    /// Runs `body` while a connection has `interfaces` at `path` and owns `name`.
    func withService(
        _ name: BusName,
        at path: ObjectPath,
        _ interfaces: [Interface],
        _ body: @escaping @Sendable (Connection) async throws -> Void
    ) async throws {
        try await Connection.withConnection(to: address) { connection in
            connection.objects.insert(interfaces, at: path)
            try await connection.withName(name) { try await body(connection) }
        }
    }
}

extension ApplicationHandler where Self: Sendable {
    /// Runs `body` while the app is on the bus as `org.example.Editor`.
    func whileOnBus(on bus: PrivateBus, _ body: @escaping @Sendable () async throws -> Void) async throws {
        try await bus.withService("org.example.Editor", at: "/org/example/Editor", [.application(self)]) { _ in
            try await body()
        }
    }
}

/// The calls that a service of a test has received, as text, for a single reader.
struct ReceivedCalls: Sendable {
    private let calls: AsyncStream<String>
    private let newCalls: AsyncStream<String>.Continuation

    init() {
        (calls, newCalls) = AsyncStream.makeStream()
    }

    func append(_ call: String) {
        newCalls.yield(call)
    }

    /// The next call; empty if the task is cancelled first.
    func next() async -> String {
        for await call in calls { return call }
        return ""
    }
}
