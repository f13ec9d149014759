import DBus
import Epoll
import HandoffTestSupport
import Synchronization

/// The object that most tests call.
let testPath: ObjectPath = "/org/example/Object"
let testInterface: InterfaceName = "org.example.Interface1"

/// Runs `body` with two connections to a bus of their own; the server has a loop of its own, so that its handlers may block.
func withTwoConnections<T: Sendable>(
    _ body: @escaping @Sendable (_ bus: PrivateBus, _ server: Connection, _ client: Connection) async throws -> T
) async throws -> T {
    try await withPrivateBus { bus in
        try await Connection.withConnection(to: bus.address, in: try EventLoop()) { server in
            try await Connection.withConnection(to: bus.address) { client in
                try await body(bus, server, client)
            }
        }
    }
}

extension Connection {
    /// Exports one method on the test's object.
    func export(
        _ name: MemberName,
        _ inputs: [ValueType] = [],
        _ outputs: [ValueType] = [],
        at path: ObjectPath = testPath,
        _ handler: @escaping @Sendable (Invocation) throws -> MethodResult
    ) {
        let method = Method(
            name: name,
            inputs: inputs.enumerated().map { Argument(name: "in\($0)", type: $1) },
            outputs: outputs.enumerated().map { Argument(name: "out\($0)", type: $1) },
            handler: handler
        )
        objects.insert([Interface(name: testInterface, methods: [method])], at: path)
    }

    /// Exports a method that never answers.
    func exportUnansweredMethod(_ name: MemberName = "Wait") {
        export(name) { _ in
            .deferred {
                await untilCancelled()
                throw CancellationError()
            }
        }
    }

    /// Calls a method of the test's object.
    func callTest(
        _ name: MemberName,
        of owner: BusName,
        _ arguments: [Value] = [],
        at path: ObjectPath = testPath,
        timeout: Duration = .seconds(25)
    ) async throws(DBusError) -> [Value] {
        try await call(testCall(name, of: owner, arguments, at: path), timeout: timeout)
    }
}

/// A call of a method of the test's object.
func testCall(
    _ name: MemberName,
    of owner: BusName,
    _ arguments: [Value] = [],
    at path: ObjectPath = testPath
) -> MethodCall {
    MethodCall(destination: owner, path: path, interface: testInterface, member: name, arguments: arguments)
}

/// A signal of the test's object.
func testSignal(_ name: MemberName, _ arguments: [Value] = [], at path: ObjectPath = testPath) -> Signal {
    Signal(path: path, interface: testInterface, member: name, arguments: arguments)
}

/// Waits until the task is cancelled.
func untilCancelled() async {
    for await _ in AsyncStream<Never>.makeStream().stream {}
}

/// The error that `body` throws, if it is a ``DBusError``.
///
/// Not to be called inside `#expect(…)`: there, Swift 6.3.1 may run another closure of the same test in place of `body`.
func dbusError(_ body: () async throws -> Void) async -> DBusError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? DBusError
    }
}

/// An event that happens once, and for which a test waits.
struct Event: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    func happen() {
        continuation.yield()
    }

    func wait() async {
        for await _ in stream { return }
    }
}

extension SignalSequence {
    /// The next `count` signals.
    func first(_ count: Int) async throws -> [Signal] {
        var signals: [Signal] = []
        if count == 0 { return [] }
        for try await signal in self {
            signals.append(signal)
            if signals.count == count { break }
        }
        return signals
    }
}
