private import CLinux
private import Glibc
private import Synchronization
import SystemPackage

/// One inotify instance, the thread that reads it, and the subscribers to its events.
///
/// The thread ends when this object is destroyed.
final class InotifyInstance: Sendable {
    private let events: InotifyEvents

    /// Takes ownership of a nonblocking inotify instance.
    ///
    /// - Throws: the error of eventfd(2) or pthread_create(3).
    init(_ descriptor: consuming Descriptor) throws(Errno) {
        let events = InotifyEvents(descriptor, stop: try Descriptor { eventfd(0, CInt(EFD_CLOEXEC | EFD_NONBLOCK)) })
        _ = try BlockingThread(named: "inotify") { events.read() }
        self.events = events
    }

    deinit {
        events.stop()
    }

    /// Returns a subscription without directories, whose events are yielded to `continuation`.
    func subscription(_ continuation: AsyncStream<Void>.Continuation) -> Subscription {
        Subscription(id: events.table.withLock { $0.subscribe(continuation) }, instance: self)
    }
}

extension InotifyInstance {
    /// A subscription to the events of directories, until it is released.
    final class Subscription: Sendable {
        private let id: InotifyTable.SubscriberID
        private let instance: InotifyInstance

        fileprivate init(id: InotifyTable.SubscriberID, instance: InotifyInstance) {
            self.id = id
            self.instance = instance
        }

        deinit {
            let events = instance.events
            events.table.withLock { events.remove($0.unsubscribe(id)) }
        }

        /// Adds a file or directory.
        ///
        /// - Parameter obstacle: set to the error, unless it is set already, when the path exists and cannot be
        ///   watched.
        /// - Returns: whether it is watched.
        func watch(_ path: FilePath, _ mask: UInt32, _ obstacle: inout Errno?) -> Bool {
            let events = instance.events
            let addition = events.table.withLock { $0.beginAdding() }
            // Outside the lock: looking up the path may take long.
            let result = Result { () throws(Errno) in try events.add(path, mask | UInt32(IN_MASK_ADD)) }
            events.table.withLock { events.remove($0.endAdding(addition, try? result.get(), mask, for: id)) }
            guard case .failure(let error) = result else { return true }
            let isAbsent = [.noSuchFileOrDirectory, .notDirectory, .permissionDenied].contains(error)
            if !isAbsent { obstacle = obstacle ?? error }
            return false
        }
    }
}

/// The state that the reading thread and the subscriptions share.
private final class InotifyEvents: Sendable {
    let table = Mutex(InotifyTable())
    private let inotify: Descriptor
    private let stopEvent: Descriptor

    init(_ inotify: consuming Descriptor, stop: consuming Descriptor) {
        self.inotify = inotify
        stopEvent = stop
    }

    func stop() {
        // eventfd(2): the counter is never read, so adding 1 can fail only if it is nonzero already, which means
        // "stop".
        _ = eventfd_write(stopEvent.rawValue, 1)
    }

    func add(_ path: FilePath, _ mask: UInt32) throws(Errno) -> CInt {
        let number = inotify.rawValue
        return try systemCall { path.withPlatformString { inotify_add_watch(number, $0, mask) } }
    }

    /// Removes watches; to be called with the table's lock held, before the same watches can be added again.
    func remove(_ watches: [CInt]) {
        // inotify_rm_watch(2) fails for a removed directory, whose watch was removed with it.
        for watch in watches { _ = inotify_rm_watch(inotify.rawValue, watch) }
    }

    /// Delivers events until ``stop()`` is called.
    func read() {
        // Room for hundreds of events; one takes at most 16 + 256 bytes (inotify(7)).
        let capacity = 1 << 16
        var bytes = [UInt8](repeating: 0, count: capacity)
        while waitForEvents() {
            guard let count = try? systemCall({ Glibc.read(inotify.rawValue, &bytes, capacity) }) else { continue }
            bytes.withUnsafeBytes { deliver(UnsafeRawBufferPointer(rebasing: $0.prefix(count))) }
        }
    }

    /// - Returns: false if the thread should end.
    private func waitForEvents() -> Bool {
        var descriptors = [
            pollfd(fd: inotify.rawValue, events: Int16(POLLIN), revents: 0),
            pollfd(fd: stopEvent.rawValue, events: Int16(POLLIN), revents: 0),
        ]
        guard (try? systemCall({ poll(&descriptors, 2, -1) })) != nil else { return false }
        return descriptors[1].revents == 0
    }

    private func deliver(_ bytes: UnsafeRawBufferPointer) {
        let header = MemoryLayout<inotify_event>.size
        var offset = 0
        while offset + header <= bytes.count {
            let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
            for subscriber in table.withLock({ $0.subscribers(of: event.wd, event.mask) }) { subscriber.yield() }
            offset += header + Int(event.len)
        }
    }
}
