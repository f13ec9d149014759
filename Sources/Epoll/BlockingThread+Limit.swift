private import CLinux
private import Glibc
private import Synchronization
package import SystemPackage

extension BlockingThread {
    /// Runs `body` on a thread of its own, and waits for what it returns no longer than `limit`.
    ///
    /// For system calls that take no time unless something is broken, such as looking up a path on a network drive that is
    /// gone: no signal ends those, so that the thread stays behind until they return.
    ///
    /// - Returns: nil when `body` has not returned in time.
    /// - Throws: `EAGAIN` or `EMFILE` when the system has no more threads or descriptors.
    package static func value<Value: Sendable>(
        within limit: Duration,
        of body: @escaping @Sendable () -> Value
    ) throws(Errno) -> Value? {
        let result = ResultBox<Value>(try Descriptor { eventfd(0, CInt(EFD_CLOEXEC)) })
        _ = try BlockingThread { result.set(body()) }
        return try result.wait(until: .now + limit)
    }

    /// What a thread has returned, and an eventfd(2) that is readable from then on.
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
