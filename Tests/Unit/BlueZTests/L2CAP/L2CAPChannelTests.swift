import CLinux
import Epoll
import Glibc
@testable import BlueZ
import SystemPackage
import Testing
import TestLimits

@Suite("L2CAP channels, over another family of sockets", .endsWithin(minutes: 10))
struct L2CAPChannelTests {
    @Test("A channel transfers messages with their boundaries, both ways")
    func messages() async throws {
        try await withChannels { near, far in
            try await near.send([1])
            try await near.send([2, 3])
            try await far.send([4])
            #expect(try await far.receive() == [1])
            #expect(try await far.receive() == [2, 3])
            #expect(try await near.receive() == [4])
        }
    }

    @Test("A sender waits while the other side does not receive")
    func backPressure() async throws {
        try await withChannels { near, far in
            let count = 5000
            async let sending: Void = { for number in 0..<count { try await near.send([UInt8(number & 0xFF)]) } }()
            for number in 0..<count { #expect(try await far.receive() == [UInt8(number & 0xFF)]) }
            try await sending
        }
    }

    @Test("A message that is empty or longer than the peer accepts is refused", arguments: [0, 101])
    func tooLong(_ length: Int) async throws {
        try await withChannels { near, _ in
            await expect(code: .messageTooLong) { try await near.send(Array(repeating: 0, count: length)) }
        }
    }

    @Test("No message is longer than the kernel can queue as a whole, whatever the peer accepts")
    func longestMessage() async throws {
        try await withChannels(mtu: 65_535) { near, far in
            let longest = [UInt8](repeating: 7, count: Int(L2CAPChannel.longestMessage))
            #expect(near.sendMTU == longest.count)
            try await near.send(longest)
            #expect(try await far.receive() == longest)
            await expect(code: .messageTooLong) { try await near.send(longest + [7]) }
        }
    }

    @Test("A short message does not keep the memory of the longest one")
    func memory() async throws {
        try await withChannels(mtu: 65_535) { near, far in
            try await near.send([1, 2, 3])
            let message = try await far.receive()
            #expect(message == [1, 2, 3])
            #expect(message.map(\.capacity) ?? 0 < 100)
        }
    }

    @Test("All messages that have arrived are received at once, up to a limit")
    func burst() async throws {
        try await withChannels { near, far in
            try await near.send([1])
            try await near.send([2, 3])
            #expect(try await far.receiveAvailable() == [1, 2, 3])
            try await near.send([4])
            #expect(try await far.receiveAvailable() == [4])
        }
        try await withChannels(mtu: 4096) { near, far in
            let message = [UInt8](repeating: 7, count: 4096)
            let count = L2CAPChannel.burstBytes / message.count
            for _ in 0...count { try await near.send(message) }
            #expect(try await far.receiveAvailable()?.count == count * message.count)
            #expect(try await far.receiveAvailable() == message)
        }
    }

    @Test("What arrived before the end is received before it")
    func burstBeforeEnd() async throws {
        try await withChannels { near, far in
            try await far.send([1])
            far.close()
            #expect(try await near.receiveAvailable() == [1])
            #expect(try await near.receiveAvailable() == nil)
            #expect(try await near.receive() == nil)
        }
    }

    @Test("Receiving returns nil after the last message when the other side has closed")
    func end() async throws {
        try await withChannels { near, far in
            try await far.send([1])
            far.close()
            #expect(try await near.receive() == [1])
            #expect(try await near.receive() == nil)
            await expect(code: .closed) { try await near.send([2]) }
        }
    }

    @Test("Closing this side ends a pending receive")
    func close() async throws {
        try await withChannels { near, _ in
            async let receiving = code { _ = try await near.receive() }
            near.close()
            #expect(await receiving == .closed)
        }
    }

    @Test("A cancelled receive closes the channel for both sides")
    func cancellation() async throws {
        try await withChannels { near, far in
            await withTaskGroup(of: L2CAPError.Code?.self) { group in
                group.addTask { await code { _ = try await near.receive() } }
                group.cancelAll()
                #expect(await group.next() == .some(.cancelled))
            }
            let end = try await far.receive()
            #expect(end == nil)
            await expect(code: .closed) { try await near.send([1]) }
        }
    }

    @Test("A channel is closed when its last reference is released")
    func release() async throws {
        try await Reactor.withReactor { reactor in
            let far = try channels(on: reactor).1
            #expect(try await far.receive() == nil)
        }
    }
}

/// Runs `body` with the two ends of a channel that accepts messages of up to `mtu` bytes.
private func withChannels(mtu: Int = 100, _ body: (L2CAPChannel, L2CAPChannel) async throws -> Void) async throws {
    try await Reactor.withReactor { reactor in
        let (near, far) = try channels(mtu: mtu, on: reactor)
        try await body(near, far)
    }
}

private func channels(mtu: Int = 100, on reactor: Reactor) throws -> (L2CAPChannel, L2CAPChannel) {
    var numbers: [CInt] = [0, 0]
    let type = CInt(SOCK_SEQPACKET.rawValue) | CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
    _ = try systemCall { socketpair(AF_UNIX, type, 0, &numbers) }
    let near = try ReactorDescriptor(Descriptor(owning: numbers[0]), on: reactor)
    let far = try ReactorDescriptor(Descriptor(owning: numbers[1]), on: reactor)
    return (
        L2CAPChannel(near, to: nil, sendMTU: mtu, receiveMTU: mtu),
        L2CAPChannel(far, to: nil, sendMTU: mtu, receiveMTU: mtu)
    )
}

private func code(_ body: () async throws -> Void) async -> L2CAPError.Code? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? L2CAPError)?.code
    }
}

private func expect(code expected: L2CAPError.Code, _ body: () async throws -> Void) async {
    #expect(await code(body) == expected)
}
