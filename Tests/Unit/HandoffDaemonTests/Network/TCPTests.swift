import AsyncSupport
import Epoll
import HandoffDaemon
import HandoffModel
import Testing
import TestLimits
import TestRuns

@Suite("Connections over a network", .endsWithin(minutes: 10))
struct TCPTests {
    private static let loopback = IPAddress.v4(0x7F00_0001), loopback6 = IPAddress.v6(0, 1)

    /// Both ends of a connection within this computer.
    private static func connected(
        at address: IPAddress = loopback,
        _ body: (_ here: TCPConnection, _ there: TCPConnection) async throws -> Void
    ) async throws {
        try await Reactor.withReactor { reactor in
            let listener = try TCPListener(on: reactor)
            let here = try await TCPConnection.connect(to: address, port: listener.port, interface: 0, on: reactor)
            let there = try await listener.accept()
            try await body(here, there)
        }
    }

    @Test("A connection carries bytes both ways, and an end", arguments: [loopback, loopback6])
    func bytes(address: IPAddress) async throws {
        try await Self.connected(at: address) { here, there in
            try await here.send([1, 2, 3])
            #expect(try await there.receive(atMost: 2) == [1, 2])
            #expect(try await there.receive(atMost: 2) == [3])
            try await there.send([4])
            #expect(try await here.receive(atMost: 9) == [4])
            here.close()
            #expect(try await there.receive(atMost: 9) == nil)
        }
    }

    @Test("More bytes than the kernel holds wait until the other end reads")
    func flowControl() async throws {
        let sent = [UInt8](repeating: 7, count: 20_000_000)
        try await Self.connected { here, there in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await here.send(sent)
                    here.close()
                }
                var count = 0
                while let bytes = try await there.receive(atMost: 65_535) { count += bytes.count }
                #expect(count == sent.count)
                try await group.waitForAll()
            }
        }
    }

    @Test("A port at which nothing listens is unreachable, also one at which something has listened")
    func refused() async throws {
        try await Reactor.withReactor { reactor in
            let listener = try TCPListener(on: reactor)
            #expect(listener.port >= 1024)
            listener.close()
            await #expect { () async throws in
                _ = try await TCPConnection.connect(to: Self.loopback, port: listener.port, interface: 0, on: reactor)
            } throws: { ($0 as? NetworkError)?.code == .unreachable }
            await #expect { _ = try await listener.accept() } throws: { ($0 as? NetworkError)?.code == .closed }
        }
    }

    @Test("A task that waits for a connection, or for bytes, ends when it is cancelled or the socket is closed")
    func ends() async throws {
        try await Reactor.withReactor { reactor in
            let listener = try TCPListener(on: reactor)
            let waiting = try await withTimeout(.zero) { try await listener.accept() }
            #expect(waiting == nil)
        }
        try await Self.connected { here, there in
            let (begun, closed) = (Promise<Void>(), Promise<NetworkError.Code?>())
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    begun.fulfil(())
                    do throws(NetworkError) {
                        _ = try await there.receive(atMost: 1)
                        closed.fulfil(nil)
                    } catch {
                        closed.fulfil(error.code)
                    }
                }
                try await begun.value()
                there.close()
                #expect(try await closed.value() == .closed)
                try await group.waitForAll()
            }
            _ = here
        }
    }

    @Test("The addresses of this computer are unicast, and each is in its own network")
    func interfaces() throws {
        for address in try InterfaceAddress.all() {
            #expect(address.address.isUnicast)
            #expect(address.network.contains(address.address))
            #expect(address.interface > 0)
        }
    }
}
