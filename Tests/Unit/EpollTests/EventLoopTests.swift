import CLinux
import Epoll
import Glibc
import Synchronization
import SystemPackage
import TestLimits
import Testing

@Suite("The loop of a process calls what waits for a descriptor or a time", .endsWithin(minutes: 10))
struct EventLoopTests {
    /// A counter of the kernel in the loop (eventfd(2)), and what its handler was called with.
    private final class Source: Sendable {
        let event: Descriptor
        let calls = AsyncStream.makeStream(of: UInt32.self)
        private let loop: EventLoop
        private let token = Mutex<EventLoop.Token?>(nil)

        /// - Parameter deadlines: how many times a deadline that has passed is set, each by a call of the handler.
        init(on loop: EventLoop, deadlines: Int = 0) throws {
            self.loop = loop
            event = try Descriptor { eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK)) }
            let left = Mutex(deadlines)
            let token = try loop.add(event.rawValue, EPOLLIN.rawValue) { [self] events in
                var count: eventfd_t = 0
                eventfd_read(event.rawValue, &count)
                let isNext = left.withLock { left in
                    left -= 1
                    return left >= 0
                }
                if isNext, let token = self.token.withLock({ $0 }) { loop.setDeadline(.now, of: token) }
                calls.continuation.yield(events)
            }
            self.token.withLock { $0 = token }
        }

        func post() { eventfd_write(event.rawValue, 1) }

        func remove() {
            if let token = token.withLock({ $0.take() }) { loop.remove(token, event.rawValue) }
        }
    }

    @Test("Each is called with its own events, also when many have some at once")
    func events() async throws {
        let loop = try EventLoop.shared()
        let sources = try (0..<100).map { _ in try Source(on: loop) }
        for source in sources { source.post() }
        for source in sources {
            var calls = source.calls.stream.makeAsyncIterator()
            let call = await calls.next()
            #expect(call == EPOLLIN.rawValue)
            source.remove()
        }
    }

    @Test("At its deadline one is called without an event, once for each")
    func deadline() async throws {
        let source = try Source(on: try .shared(), deadlines: 2)
        source.post()
        var calls = source.calls.stream.makeAsyncIterator()
        var seen: [UInt32?] = []
        for _ in 1...3 { seen.append(await calls.next()) }
        source.post()
        seen.append(await calls.next())
        #expect(seen == [EPOLLIN.rawValue, 0, 0, EPOLLIN.rawValue])
        source.remove()
    }

    @Test("One that was removed is not called any more, and others are")
    func removal() async throws {
        let loop = try EventLoop.shared()
        let (removed, other) = (try Source(on: loop), try Source(on: loop))
        removed.remove()
        removed.post()
        other.post()
        var calls = other.calls.stream.makeAsyncIterator()
        let call = await calls.next()
        #expect(call == EPOLLIN.rawValue)
        removed.calls.continuation.finish()
        var none = removed.calls.stream.makeAsyncIterator()
        let more = await none.next()
        #expect(more == nil)
        other.remove()
    }

    @Test("All of a process use the same one, as long as somebody holds it")
    func sharing() throws {
        let loop = try EventLoop.shared()
        #expect(try EventLoop.shared() === loop)
    }
}
