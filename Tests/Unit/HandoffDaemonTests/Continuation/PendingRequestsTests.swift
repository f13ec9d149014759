import AsyncSupport
import DBus
import HandoffBus
import HandoffCore
import HandoffTestSupport
import TestLimits
import Testing

@testable import HandoffDaemon

@Suite(
    "A request of a client ends when the client cancels it or leaves the bus",
    .endsWithin(minutes: 10, instances: 1)
)
struct PendingRequestsTests {
    private let requests = PendingRequests()

    /// The error of a request that only its abandonment ends.
    private static func error(of request: PendingRequest, on connection: Connection) async -> HandoffError? {
        do {
            try await request.whileWanted(on: connection) { () async throws -> Void in try await untilCancelled() }
            return nil
        } catch {
            return error as? HandoffError
        }
    }

    @Test("A request that is not performed is forgotten")
    func forgotten() {
        withExtendedLifetime(requests.begin(by: Caller(name: ":1.7"), about: "/a")) {
            #expect(requests.count == 1)
        }
        #expect(requests.count == 0)
        requests.cancel(by: ":1.7", about: "/a")
    }

    @Test("A cancellation that follows the request finds it, even if the request has not begun its work")
    func cancelled() async throws {
        try await withPrivateBus { bus in
            try await Connection.withConnection(to: bus.address) { connection in
                for expectsReply in [true, false] {
                    let caller = Caller(name: connection.uniqueName, expectsReply: expectsReply)
                    let request = requests.begin(by: caller, about: "/a")
                    requests.cancel(by: caller.name, about: "/a")
                    #expect(await Self.error(of: request, on: connection)?.code == .userCancelled)
                }
            }
        }
        #expect(requests.count == 0)
    }

    @Test("Only the client itself cancels a request, and only those about the same subject")
    func others() async throws {
        try await withPrivateBus { bus in
            try await Connection.withConnection(to: bus.address) { connection in
                let caller = Caller(name: connection.uniqueName)
                let request = requests.begin(by: caller, about: "/a")
                requests.cancel(by: ":1.999", about: "/a")
                requests.cancel(by: caller.name, about: "/b")
                let result = try await request.whileWanted(on: connection) { 7 }
                #expect(result == 7)
            }
        }
    }

    @Test("A request of a client that has left the bus ends; one that expects no reply goes on")
    func departed() async throws {
        try await withPrivateBus { bus in
            try await Connection.withConnection(to: bus.address) { connection in
                let gone: BusName = ":1.999"
                let request = requests.begin(by: Caller(name: gone), about: "/a")
                #expect(await Self.error(of: request, on: connection)?.code == .userCancelled)
                let unattended = requests.begin(by: Caller(name: gone, expectsReply: false), about: "/a")
                let result = try await unattended.whileWanted(on: connection) { 7 }
                #expect(result == 7)
            }
        }
    }
}
