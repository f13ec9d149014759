import DBus
import Dispatch
import HandoffTestSupport
import Synchronization
import TestLimits
import Testing

@Suite("A client that sends many calls at once delays its own only", .endsWithin(minutes: 10, instances: 1))
struct FairnessTests {
    /// A method that counts its calls, and waits in the first one until it may go on; each call costs a millisecond, while
    /// the bus passes hundreds on.
    private final class Counter: Sendable {
        let calls = Mutex<[BusName]>([])
        let mayContinue = DispatchSemaphore(value: 0)
        let hasBegun = Event()

        func export(on connection: Connection) {
            connection.export("Count") { [self] call in
                let isFirst = calls.withLock { calls in
                    calls.append(call.sender)
                    return calls.count == 1
                }
                if isFirst {
                    hasBegun.happen()
                    mayContinue.wait()
                }
                let end = ContinuousClock.now + .milliseconds(1)
                while ContinuousClock.now < end {}
                return .reply([])
            }
        }
    }

    @Test("The one call of another client is handled before most of those of the first one, which all are handled")
    func oneCallAmongMany() async throws {
        let count = 800
        try await withTwoConnections { bus, server, many in
            try await Connection.withConnection(to: bus.address) { one in
                let counter = Counter()
                counter.export(on: server)
                let call = testCall("Count", of: server.uniqueName)
                for _ in 0..<count { many.send(call) }
                await counter.hasBegun.wait()
                // The bus answers after it has passed the calls on.
                _ = try await many.owner(of: server.uniqueName)
                one.send(call)
                _ = try await one.owner(of: server.uniqueName)
                counter.mayContinue.signal()
                for client in [many, one] { _ = try await client.callTest("Count", of: server.uniqueName) }
                let senders = counter.calls.withLock { $0 }
                #expect(senders.count == count + 1 + 2)
                let place = try #require(senders.firstIndex(of: one.uniqueName))
                #expect(place < count / 2, "\(place)")
            }
        }
    }

    @Test("Of the calls of a client that does not wait for answers, no more are kept than a limit")
    func limited() async throws {
        try await withTwoConnections { _, server, many in
            let counter = Counter()
            counter.export(on: server)
            for _ in 0..<4000 { many.send(testCall("Count", of: server.uniqueName)) }
            await counter.hasBegun.wait()
            // The bus answers after it has passed the calls on.
            _ = try await many.owner(of: server.uniqueName)
            counter.mayContinue.signal()
            // It is handled after all that wait, or refused while they do.
            while let error = await dbusError({ _ = try await many.callTest("Count", of: server.uniqueName) }) {
                try #require(error.name == .limitsExceeded)
            }
            #expect((1024..<3000).contains(counter.calls.withLock(\.count)))
        }
    }
}
