import DBus
import Glibc
import HandoffTestSupport
import TestLimits
import Testing

@Suite("Owning and following bus names", .endsWithin(minutes: 10, instances: 1))
struct BusNameTests {
    private let name: BusName = "org.example.Service"

    @Test("A name is owned while the closure runs, and released afterwards")
    func owning() async throws {
        try await withTwoConnections { _, server, client in
            let owner = try await server.withName(name) { try await client.owner(of: name) }
            #expect(owner == server.uniqueName)
            #expect(try await client.owner(of: name) == nil)
            #expect(try await client.processID(of: server.uniqueName) == UInt32(getpid()))
        }
    }

    @Test("A name that is taken is refused, and the error names the process that owns it")
    func taken() async throws {
        try await withTwoConnections { _, server, client in
            try await server.withName(name) {
                for connection in [client, server] {
                    let error = await dbusError { try await connection.withName(name) {} }
                    #expect(error?.code == .nameTaken)
                    #expect(error?.message.contains("process \(getpid()) (\(server.uniqueName))") == true)
                }
                let owner = try await client.owner(of: name)
                #expect(owner == server.uniqueName)
            }
        }
    }

    @Test("The closure is cancelled when the bus reports the loss of the name")
    func lost() async throws {
        try await withTwoConnections { _, server, client in
            let error = await dbusError {
                try await server.withName(name) {
                    let release = MethodCall(
                        destination: "org.freedesktop.DBus",
                        path: "/org/freedesktop/DBus",
                        interface: "org.freedesktop.DBus",
                        member: "ReleaseName",
                        arguments: [.string("org.example.Service")]
                    )
                    _ = try await server.call(release)
                    await untilCancelled()
                }
            }
            #expect(error?.code == .nameLost)
        }
    }

    @Test("A name that the bus does not grant is an error")
    func forbidden() async throws {
        try await withTwoConnections { _, server, _ in
            let error = await dbusError { try await server.withName(":1.99") {} }
            #expect(error?.code == .remote)
            #expect(error?.name == .invalidArgs)
        }
    }

    @Test("A follower of a name sees the current owner, and then each change")
    func following() async throws {
        try await withTwoConnections { _, server, client in
            let (steps, step) = AsyncStream<BusName?>.makeStream()
            try await withThrowingTaskGroup { group in
                group.addTask {
                    try await client.withOwner(of: name) { owners in
                        for await owner in owners { step.yield(owner) }
                    }
                }
                var iterator = steps.makeAsyncIterator()
                #expect(await iterator.next() == .some(nil))
                let during = try await server.withName(name) {
                    for await owner in steps { return owner }
                    return nil
                }
                #expect(during == server.uniqueName)
                #expect(await iterator.next() == .some(nil))
                group.cancelAll()
            }
        }
    }

    @Test("A follower of an owned name sees the owner first, and the name is free once the owner has left the bus")
    func leaving() async throws {
        try await withPrivateBus { bus in
            try await Connection.withConnection(to: bus.address) { client in
                let owner = try await Connection.withConnection(to: bus.address) { server in
                    try await server.withName(name) {
                        try await client.withOwner(of: name) { owners in
                            for await owner in owners { return owner }
                            return nil
                        }
                    }
                }
                #expect(owner != nil)
                let after = try await client.owner(of: name)
                #expect(after == nil)
            }
        }
    }
}
