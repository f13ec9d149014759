import Epoll
import Glibc
import SystemPackage
import TestLimits
import Testing

@Suite("A reactor wakes the tasks that wait for a descriptor", .endsWithin(minutes: 10))
struct ReactorTests {
    @Test("A reader is woken by a message")
    func readerIsWoken() async throws {
        try await Reactor.withReactor { reactor in
            let (near, far) = try socketPair(on: reactor)
            async let received = message(on: near)
            try await send([1, 2], on: far)
            #expect(try await received == [1, 2])
        }
    }

    @Test("One descriptor is read and written at the same time")
    func bothDirections() async throws {
        try await Reactor.withReactor { reactor in
            let (near, far) = try socketPair(on: reactor)
            let count = 2000
            async let outgoing: Void = { for _ in 0..<count { try await send([7], on: near) } }()
            async let returning: Void = {
                for _ in 0..<count { try await send(try await message(on: far), on: far) }
            }()
            for _ in 0..<count { #expect(try await message(on: near) == [7]) }
            try await outgoing
            try await returning
        }
    }

    @Test("A cancelled wait ends, and the descriptor can be waited for again")
    func cancellation() async throws {
        try await Reactor.withReactor { reactor in
            let (near, far) = try socketPair(on: reactor)
            await withTaskGroup(of: Errno?.self) { group in
                group.addTask { await error { _ = try await message(on: near) } }
                group.cancelAll()
                #expect(await group.next() == .some(.canceled))
            }
            try await send([3], on: far)
            #expect(try await message(on: near) == [3])
        }
    }

    @Test("Closing a descriptor ends a wait for it, and later use fails with EBADF as well")
    func closing() async throws {
        try await Reactor.withReactor { reactor in
            let (near, _) = try socketPair(on: reactor)
            async let waiting = error { _ = try await message(on: near) }
            near.close()
            #expect(await waiting == .badFileDescriptor)
            #expect(await error { try await send([1], on: near) } == .badFileDescriptor)
            near.close()
        }
    }

    @Test("After the end of the reactor, a wait fails, and an operation that does not have to wait succeeds")
    func ending() async throws {
        let (near, far) = try await Reactor.withReactor { try socketPair(on: $0) }
        #expect(await error { _ = try await message(on: near) } == .badFileDescriptor)
        // An operation that does not have to wait still works.
        try await send([1], on: far)
        #expect(try await message(on: near) == [1])
    }

    @Test("The error of the body is thrown after the thread has ended")
    func throwing() async {
        await #expect(throws: Errno.noMemory) {
            try await Reactor.withReactor { _ in throw Errno.noMemory }
        }
    }
}

@Suite("System calls", .endsWithin(minutes: 10))
struct SystemCallTests {
    @Test("A system call is repeated while signals interrupt it")
    func interruption() throws {
        var calls = 0
        let result = try systemCall { () -> CInt in
            calls += 1
            errno = EINTR
            return calls < 3 ? -1 : 7
        }
        #expect(result == 7)
        #expect(calls == 3)
    }

    @Test("A system call that fails throws its error")
    func error() {
        #expect(throws: Errno.badFileDescriptor) {
            try systemCall { close(-1) }
        }
    }

    @Test("A descriptor is closed when its owner is released")
    func descriptorCloses() throws {
        var ends: [CInt] = [0, 0]
        // Without the flag, a program that another test starts meanwhile would hold the end open.
        let type = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        _ = try systemCall { socketpair(AF_UNIX, type, 0, &ends) }
        let reader = Descriptor(owning: ends[0])
        do {
            let writer = Descriptor(owning: ends[1])
            #expect(writer.rawValue == ends[1])
        }
        // End-of-file is read once the last writer has closed.
        var byte: UInt8 = 0
        #expect(try systemCall { read(reader.rawValue, &byte, 1) } == 0)
    }
}

private func error(_ body: () async throws -> Void) async -> Errno? {
    do {
        try await body()
        return nil
    } catch {
        return error as? Errno
    }
}
