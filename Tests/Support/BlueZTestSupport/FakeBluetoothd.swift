import AsyncSupport
import BlueZ
package import DBus
package import Synchronization
import TestRuns

/// A bluetoothd without a kernel, which behaves on the bus like bluez 5.66 as far as the module `BlueZ` can observe.
///
/// It reads an advertisement's object back before it answers, has one discovery session for each connection, sets
/// `Discovering` only after it has answered, and drops sessions when an adapter is switched off.
package final class FakeBluetoothd: Sendable {
    /// A registered advertisement.
    package struct Advertisement: Hashable, Sendable {
        package let owner: BusName
        package let path: ObjectPath
        package let properties: [String: Value]
    }

    package struct State {
        package var properties: [ObjectPath: [InterfaceName: [MemberName: Value]]] = [:]
        package var advertisements: [Advertisement] = []
        package var applications: [ObjectPath: BusName] = [:]
        package var sessions: [ObjectPath: Set<BusName>] = [:]
        package var filters: [[String: Value]] = []
        package var errors: [MemberName: [DBusError]] = [:]
        package var written: [UInt8] = []
        /// The devices to which connections were made, in order.
        package var connected: [ObjectPath] = []
        /// The devices whose links were dropped, in order.
        package var disconnected: [ObjectPath] = []
        /// The calls that wait while disconnections are held; nil if they are not held.
        fileprivate var held: [AsyncStream<Void>.Continuation]?
    }

    package let connection: Connection
    package let state = Mutex(State())

    /// The names of the called methods, in the order of the replies, for a single reader.
    package let calls: AsyncStream<String>
    let called: AsyncStream<String>.Continuation

    private let afterwards: AsyncStream<@Sendable () -> Void>
    private let postpone: AsyncStream<@Sendable () -> Void>.Continuation

    fileprivate init(_ connection: Connection) {
        self.connection = connection
        (calls, called) = AsyncStream.makeStream()
        (afterwards, postpone) = AsyncStream.makeStream()
    }

    package var advertisements: [Advertisement] { state.withLock(\.advertisements) }

    /// Answers the next call of `member` with an error.
    package func fail(_ member: MemberName, _ name: ErrorName, _ message: String) {
        state.withLock { $0.errors[member, default: []].append(.failure(name, message)) }
    }

    /// Waits for a call of `member`.
    package func wait(for member: String) async {
        await awaiting("a call of \(member)") {
            for await call in calls where call == member { return }
        }
    }

    /// Holds all disconnections until ``releaseDisconnections()`` is called.
    package func holdDisconnections() {
        state.withLock { $0.held = [] }
    }

    /// Completes the disconnections that were held.
    package func releaseDisconnections() {
        let held = state.withLock { state in
            defer { state.held = nil }
            return state.held ?? []
        }
        for continuation in held { continuation.finish() }
    }

    /// Waits while disconnections are held.
    func waitForDisconnectionRelease() async {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        state.withLock { state in
            if state.held?.append(continuation) == nil { continuation.finish() }
        }
        for await _ in stream {}
    }

    /// Does `work` after the reply to the current call was sent.
    func afterReply(_ work: @escaping @Sendable () -> Void) {
        postpone.yield(work)
    }

    /// Records a call, and throws the error that a test has prepared for it.
    func note(_ invocation: Invocation) throws {
        let error = state.withLock { state -> DBusError? in
            guard let error = state.errors[invocation.member]?.first else { return nil }
            state.errors[invocation.member]?.removeFirst()
            return error
        }
        called.yield(invocation.member.description)
        if let error { throw error }
    }

    /// The current value of the property.
    package func property(_ path: ObjectPath, _ interface: InterfaceName, _ name: MemberName) -> Value? {
        state.withLock { $0.properties[path]?[interface]?[name] }
    }

    /// Changes properties and emits PropertiesChanged.
    package func set(_ path: ObjectPath, _ interface: InterfaceName, _ values: [MemberName: Value]) {
        state.withLock { $0.properties[path]?[interface]?.merge(values) { $1 } }
        let changed = Dictionary(uniqueKeysWithValues: values.map { ($0.key.description, $0.value) })
        connection.objects.propertiesChanged(at: path, interface: interface, changed)
    }

    /// Adds an interface with the properties `values`.
    package func insert(
        _ name: InterfaceName,
        _ values: [MemberName: Value],
        _ methods: [Method] = [],
        at path: ObjectPath
    ) {
        state.withLock { $0.properties[path, default: [:]][name] = values }
        let properties = values.map { member, value in
            Property(name: member, type: value.type) { [weak self] in
                self?.property(path, name, member) ?? value
            }
        }
        connection.objects.insert([Interface(name: name, methods: methods, properties: properties)], at: path)
    }

    package func remove(_ path: ObjectPath) {
        connection.objects.remove(at: path)
        state.withLock { $0.properties[path] = nil }
    }

    /// Runs the postponed work after a round trip to the bus, which proves that the reply was sent.
    fileprivate func runAfterwards() async {
        for await work in afterwards {
            _ = try? await connection.owner(of: "org.bluez")
            work()
        }
    }
}

/// Runs a fake bluetoothd on the bus while `body` runs.
package func withFakeBluetoothd<Success: Sendable>(
    on address: BusAddress,
    _ body: @escaping @Sendable (FakeBluetoothd) async throws -> Success
) async throws -> Success {
    try await Connection.withConnection(to: address) { connection in
        let fake = FakeBluetoothd(connection)
        connection.objects.insertObjectManager(at: .root)
        return try await withBackgroundTasks([{ await fake.runAfterwards() }]) {
            try await connection.withName("org.bluez") { try await body(fake) }
        }
    }
}
