import AsyncSupport
import DBus
import FoundationEssentials
import HandoffBrowser
import HandoffBus
import HandoffClient
import Synchronization

/// The nearby activities, which the daemon looks for while the popup of the extension is open.
final class NearbyList: Sendable {
    /// Something that the user has asked for.
    private struct Request: Sendable {
        let entry: UInt64
        let id: BrowserMessage.ID
    }

    private let port: BrowserPort
    private let isLooking = CurrentValue(false)
    /// One continuation at a time: another one would cancel it.
    private let requests: AsyncStream<Request>
    private let newRequests: AsyncStream<Request>.Continuation
    private let shown = Mutex<[HostMessage.Entry]?>(nil)

    init(port: BrowserPort) {
        self.port = port
        (requests, newRequests) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Sets whether the list is on the screen.
    func look(_ isLooking: Bool) {
        shown.withLock { $0 = nil }
        self.isLooking.set(isLooking)
    }

    /// Continues a nearby activity, and reports to the extension how that has ended.
    func `continue`(_ entry: UInt64, as id: BrowserMessage.ID) {
        newRequests.yield(Request(entry: entry, id: id))
    }

    /// Sends the list while it is on the screen, and continues activities, until cancelled.
    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.followWhileLooking() }
            group.addTask {
                for await request in self.requests { await self.perform(request) }
            }
            try await group.waitForAll()
        }
    }

    private func perform(_ request: Request) async {
        do {
            try await Connection.withConnection(to: .session) { connection in
                let client = HandoffClient(connection: connection)
                _ = try await client.continueActivity(HandoffName.nearbyActivity(request.entry))
            }
            port.send(.continued(request.id, failure: nil))
        } catch {
            port.send(.continued(request.id, failure: (error as? DBusError)?.message ?? "\(error)"))
        }
    }

    private func followWhileLooking() async throws {
        var known = isLooking.current
        while true {
            let seen = known
            known = try await race {
                guard seen.value else { return try await self.isLooking.changed(since: seen) }
                try await self.follow()
                return seen
            } _: {
                try await self.isLooking.changed(since: seen)
            }
        }
    }

    /// Sends the list after each change, until cancelled; tries again when the daemon or the bus has gone.
    private func follow() async throws {
        var backoff = Backoff(first: .seconds(1), longest: .seconds(10))
        while true {
            let isListed = Mutex(false)
            do {
                try await Connection.withConnection(to: .session) { connection in
                    try await self.follow(over: connection) { isListed.withLock { $0 = true } }
                }
            } catch is DBusError {
                send([])
            }
            if isListed.withLock({ $0 }) { backoff.reset() }
            try await backoff.wait()
        }
    }

    /// Sends the list until the daemon has stopped, or another one has begun.
    ///
    /// - Parameter onList: is called when the daemon has told its list.
    private func follow(over connection: Connection, _ onList: @escaping @Sendable () -> Void) async throws {
        let client = HandoffClient(connection: connection)
        // This also starts a daemon that the bus can start, and the bus tells of it before the answer comes.
        _ = try await client.status()
        let hasCome = Mutex(false)
        let look: @Sendable () async throws -> Void = { try await client.startLooking() }
        let follower = DaemonFollower(client: client, contents: [.nearby, .distances], prepare: look) { [self] event in
            switch event {
            case .came where hasCome.withLock({ !$0 }): hasCome.withLock { $0 = true }
            case .came, .gone: throw DBusError(.disconnected, "handoffd has stopped.")
            case .read(let mirror):
                send(mirror.objects.nearby)
                onList()
            case .signal(_, let mirror): if let mirror { send(mirror.objects.nearby) }
            case .unreadable(let error): throw error
            }
        }
        try await follower.run()
    }

    private func send(_ nearby: [NearbyActivityDescription]) {
        let entries = nearby.prefix(HostMessage.maximumEntries).map(HostMessage.Entry.init)
        let isNew = shown.withLock { shown in
            defer { shown = entries }
            return shown != entries
        }
        if isNew { port.send(.nearby(entries)) }
    }
}

extension HostMessage.Entry {
    fileprivate init(_ activity: NearbyActivityDescription) {
        self.init(
            entry: UInt64(activity.id),
            device: activity.deviceName,
            type: activity.type,
            isWebpage: activity.hasWebpage,
            app: activity.applicationName,
            isContinuable: activity.opensWith != "none"
        )
    }
}
