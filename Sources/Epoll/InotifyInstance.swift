private import CLinux
private import Glibc
private import Synchronization
import SystemPackage

/// One inotify instance, which the loop of the process reads, and the subscribers to its events.
final class InotifyInstance: Sendable {
    private let events: InotifyEvents
    private let loop: EventLoop
    private let source: EventLoop.Token

    /// Takes ownership of a nonblocking inotify instance.
    ///
    /// - Throws: the error of ``EventLoop/shared()`` or of epoll_ctl(2).
    init(_ descriptor: consuming Descriptor) throws(Errno) {
        let events = InotifyEvents(descriptor)
        let loop = try EventLoop.shared()
        source = try loop.add(events.descriptor, EPOLLIN.rawValue) { _ in events.read() }
        (self.events, self.loop) = (events, loop)
    }

    deinit {
        loop.remove(source, events.descriptor)
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

/// The state that the loop and the subscriptions share.
private final class InotifyEvents: Sendable {
    /// Room for hundreds of events; one takes at most 16 + 256 bytes (inotify(7)).
    private static let capacity = 1 << 16

    let table = Mutex(InotifyTable())
    private let inotify: Descriptor

    init(_ inotify: consuming Descriptor) {
        self.inotify = inotify
    }

    /// The descriptor of the instance, open as long as this object exists.
    var descriptor: CInt { inotify.rawValue }

    func add(_ path: FilePath, _ mask: UInt32) throws(Errno) -> CInt {
        let number = inotify.rawValue
        return try systemCall { path.withPlatformString { inotify_add_watch(number, $0, mask) } }
    }

    /// Removes watches; to be called with the table's lock held, before the same watches can be added again.
    func remove(_ watches: [CInt]) {
        // inotify_rm_watch(2) fails for a removed directory, whose watch was removed with it.
        for watch in watches { _ = inotify_rm_watch(inotify.rawValue, watch) }
    }

    /// Delivers the events that are there; on the thread of the loop.
    func read() {
        withUnsafeTemporaryAllocation(byteCount: Self.capacity, alignment: MemoryLayout<inotify_event>.alignment) {
            bytes in
            let count = try? systemCall { Glibc.read(inotify.rawValue, bytes.baseAddress, bytes.count) }
            // Another one may have read them.
            guard let count else { return }
            deliver(UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        }
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
