@testable import Epoll
import Glibc
import SystemPackage
import Testing
import TestLimits

@Suite("Two processes tell each other that they have all of a stream", .endsWithin(minutes: 10))
struct ReceiptSocketTests {
    @Test("What one end tells, the other learns, whichever tells first")
    func told() async throws {
        try await Self.connected { one, other in
            try one.send()
            #expect(try await other.receive())
            try other.send()
            #expect(try await one.receive())
        }
    }

    @Test("An end that was closed after it has told has told it, also if it did not wait for the other one")
    func closedAfterwards() async throws {
        try await Self.connected { one, other in
            try other.send()
            try one.send()
            one.close()
            #expect(try await other.receive())
        }
    }

    @Test("An end that was closed before has told nothing")
    func closedBefore() async throws {
        try await Self.connected { one, other in
            one.close()
            let told = try await other.receive()
            #expect(!told)
            #expect(throws: Errno.brokenPipe) { try other.send() }
        }
        try await Self.connected { one, other in
            // What waits unread when an end is closed makes the other one read an error.
            try other.send()
            one.close()
            let told = try await other.receive()
            #expect(!told)
        }
    }

    @Test("A socket has the same cookie under each of its numbers, and no other one has it")
    func cookies() async throws {
        try await Reactor.withReactor { reactor in
            let pair = try await LocalStreamPair.connected(on: reactor)
            let copy = Descriptor(owning: try pair.duplicateFar())
            #expect(try pair.farCookie() == SocketCookie(of: copy.rawValue))
            let other = try await LocalStreamPair.connected(on: reactor)
            #expect(try pair.farCookie() != other.farCookie())
        }
        let file = try memoryFile(named: "no socket", with: [])
        let number = file.rawValue
        #expect(throws: Errno.notSocket) { try SocketCookie(of: number) }
    }

    private static func connected(_ body: (ReceiptSocket, ReceiptSocket) async throws -> Void) async throws {
        try await Reactor.withReactor { reactor in
            let (near, far) = try ReceiptSocket.connected(on: reactor)
            try await body(near, try ReceiptSocket(taking: far, on: reactor))
        }
    }
}
