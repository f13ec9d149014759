import DBus
import Glibc
import HandoffTestSupport
import Synchronization
import TestLimits
import Testing

@Suite("A bus that ends or never answers", .endsWithin(minutes: 10, instances: 1))
struct DisconnectionTests {
    @Test("Every wait ends with the error .disconnected, and the process survives")
    func killedBus() async throws {
        try await withPrivateBus { bus in
            let (endings, ended) = AsyncStream<DBusError.Code?>.makeStream()
            let error = await dbusError {
                try await Connection.withConnection(to: bus.address) { connection in
                    try await Self.waitForEverything(connection, bus) { ended.yield($0) }
                    await untilCancelled()
                }
            }
            ended.finish()
            #expect(error?.code == .disconnected)
            var found: [DBusError.Code?] = []
            for await code in endings { found.append(code) }
            #expect(found == [.disconnected, .disconnected, .disconnected])
        }
    }

    @Test("After the bus has ended, the objects of the connection are gone, and with them all that they hold")
    func objectsAreReleased() async throws {
        final class Held: Sendable {}
        struct Reference: Sendable { weak var object: Held? }
        let held = Mutex(Reference())
        try await withPrivateBus { bus in
            _ = await dbusError {
                try await Connection.withConnection(to: bus.address) { connection in
                    let object = Held()
                    held.withLock { $0.object = object }
                    // The handler holds the connection, as those of the daemon do.
                    connection.export("Hold") { _ in .reply([.string("\(connection.uniqueName) \(object)")]) }
                    await bus.terminate()
                    await untilCancelled()
                }
            }
        }
        #expect(held.withLock { $0.object == nil })
    }

    @Test("The bus answers until it has ended, also a task that is cancelled")
    func answers() async throws {
        try await withPrivateBus { bus in
            let error = await dbusError {
                try await Connection.withConnection(to: bus.address) { connection in
                    let isAnswered = await withTaskGroup(of: Bool.self) { group in
                        group.cancelAll()
                        group.addTask { await connection.isAnswered() }
                        return await group.next()
                    }
                    #expect(isAnswered == true)
                    await bus.terminate()
                    #expect(await !connection.isAnswered())
                    await untilCancelled()
                }
            }
            #expect(error?.code == .disconnected)
        }
    }

    /// Waits for an answer, a signal and an owner, ends the bus meanwhile, and reports how each wait ended.
    private static func waitForEverything(
        _ connection: Connection,
        _ bus: PrivateBus,
        _ report: @escaping @Sendable (DBusError.Code?) -> Void
    ) async throws {
        let asked = Event()
        connection.export("Wait") { _ in
            asked.happen()
            return .deferred {
                await untilCancelled()
                return []
            }
        }
        try await connection.withSignals(MatchRule(member: "Never")) { signals in
            try await connection.withOwner(of: "org.example.Never") { owners in
                async let call = dbusError { _ = try await connection.callTest("Wait", of: connection.uniqueName) }
                await asked.wait()
                await bus.terminate()
                report(await call?.code)
                report(await dbusError { for try await _ in signals {} }?.code)
                for await _ in owners {}
            }
        }
        report(await dbusError { _ = try await connection.owner(of: .bus) }?.code)
    }

    @Test("A bus that stops reading counts as disconnected before its pending messages fill the memory")
    func frozenBus() async throws {
        try await withPrivateBus { bus in
            let error = await dbusError {
                try await Connection.withConnection(to: bus.address) { connection in
                    kill(bus.processID, SIGSTOP)
                    let megabyte = Value.bytes([UInt8](repeating: 0, count: 1 << 20))
                    for _ in 0..<140 { connection.emit(testSignal("Big", [megabyte])) }
                    await untilCancelled()
                }
            }
            #expect(error?.code == .disconnected)
            #expect(error?.message.contains("stopped reading") == true)
        }
    }

    @Test("After the end of the connection, signals are dropped and calls fail")
    func afterTheEnd() async throws {
        try await withPrivateBus { bus in
            let connection = try await Connection.withConnection(to: bus.address) { $0 }
            connection.emit(testSignal("Late"))
            connection.objects.insert([], at: "/late")
            let call = await dbusError { _ = try await connection.owner(of: .bus) }
            #expect(call?.code == .disconnected)
            let rule = await dbusError { try await connection.withSignals(MatchRule()) { _ in } }
            #expect(rule?.code == .disconnected)
        }
    }

    @Test("Every signal that was emitted has been sent when the connection ends")
    func flush() async throws {
        try await withPrivateBus { bus in
            try await Connection.withConnection(to: bus.address) { client in
                try await client.withSignals(MatchRule(interface: testInterface), limit: 2000) { signals in
                    try await Connection.withConnection(to: bus.address) { server in
                        for _ in 0..<1000 { server.emit(testSignal("N", [.bytes([UInt8](repeating: 1, count: 1024))])) }
                    }
                    let count = try await signals.first(1000).count
                    #expect(count == 1000)
                }
            }
        }
    }

    @Test("The error that the closure throws reaches the caller")
    func thrown() async throws {
        struct Odd: Error {}
        try await withPrivateBus { bus in
            _ = await #expect(throws: Odd.self) {
                try await Connection.withConnection(to: bus.address) { _ in throw Odd() }
            }
        }
    }

    @Test(
        "An address that is invalid or has no bus is an error",
        arguments: [
            ("unix:path=/nonexistent/bus", DBusError.Code.connectFailed), ("nonsense", .invalidAddress),
            ("", .invalidAddress), ("a\0b", .invalidAddress), ("unix:", .invalidAddress),
        ]
    )
    func badAddress(address: String, code: DBusError.Code) async throws {
        let error = await dbusError { try await Connection.withConnection(to: .address(address)) { _ in } }
        #expect(error?.code == code, "\(String(describing: error))")
    }

    @Test("Connecting to a bus that accepts and never answers times out")
    func mute() async throws {
        try await withListener(backlog: 8) { address in
            let error = await dbusError {
                try await Connection.withConnection(to: address, timeout: .milliseconds(50)) { _ in }
            }
            #expect(error?.code == .timedOut)
        }
    }

    @Test("Connecting to a bus that does not accept the connection times out")
    func full() async throws {
        try await withListener(backlog: 0) { address in
            for _ in 0..<3 {
                let error = await dbusError {
                    try await Connection.withConnection(to: address, timeout: .milliseconds(50)) { _ in }
                }
                #expect(error?.code == .timedOut)
            }
        }
    }

    @Test("Connecting can be cancelled")
    func cancelled() async throws {
        try await withListener(backlog: 8) { address in
            let code = await withTaskGroup(of: DBusError.Code?.self) { group in
                group.addTask { await dbusError { try await Connection.withConnection(to: address) { _ in } }?.code }
                group.cancelAll()
                return await group.next() ?? nil
            }
            #expect(code == .cancelled)
        }
    }
}

/// Listens on a socket and never accepts; a backlog of zero leaves room for one connection.
private func withListener(backlog: Int32, _ body: (BusAddress) async throws -> Void) async throws {
    let name = "dbus-test-\(UInt64.random(in: 0...UInt64.max))"
    let listener = UnixFD(taking: socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0))
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) {
        UnsafeMutableRawBufferPointer(rebasing: $0.dropFirst()).copyBytes(from: Array(name.utf8))
    }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + 1 + name.utf8.count)
    let isListening = listener.withFileDescriptor { descriptor in
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        } == 0 && listen(descriptor, backlog) == 0
    }
    try #require(isListening)
    try await body(.address("unix:abstract=\(name)"))
    withExtendedLifetime(listener) {}
}
