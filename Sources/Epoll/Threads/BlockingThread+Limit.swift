private import CLinux
private import Glibc
private import Synchronization
package import SystemPackage

extension BlockingThread {
    /// Runs `body` on its own thread, and waits at most `limit` for its result.
    ///
    /// For system calls that are fast unless something is broken, such as looking up a path on a lost network drive. No
    /// signal interrupts these, so the thread remains until they return.
    ///
    /// - Returns: the result of `body`; nil if it has not returned in time.
    /// - Throws: `EAGAIN` or `EMFILE` when no thread or descriptor is available.
    package static func value<Value: Sendable>(
        within limit: Duration,
        of body: @escaping @Sendable () -> Value
    ) throws(Errno) -> Value? {
        let result = ResultBox<Value>(try Descriptor { eventfd(0, CInt(EFD_CLOEXEC)) })
        _ = try BlockingThread { result.set(body()) }
        return try result.wait(until: .now + limit)
    }

    /// The result of a thread, and an eventfd(2) that becomes readable when it is set.
    private final class ResultBox<Value: Sendable>: Sendable {
        private let value = Mutex<Value?>(nil)
        private let isSet: Descriptor

        init(_ event: consuming Descriptor) {
            isSet = event
        }

        func set(_ value: Value) {
            self.value.withLock { $0 = value }
            _ = eventfd_write(isSet.rawValue, 1)
        }

        func wait(until end: ContinuousClock.Instant) throws(Errno) -> Value? {
            while true {
                let left = (end - .now).components
                let milliseconds = left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000
                var event = pollfd(fd: isSet.rawValue, events: Int16(POLLIN), revents: 0)
                let count = poll(&event, 1, CInt(clamping: max(0, milliseconds + 1)))
                if count >= 0 { return value.withLock { $0 } }
                guard errno == EINTR else { throw Errno(rawValue: errno) }
            }
        }
    }
}
