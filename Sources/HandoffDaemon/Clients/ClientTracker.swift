import DBus
import Synchronization

/// The clients that own something in this daemon, each watched once.
final class ClientTracker: Sendable {
    private let known = Mutex<Set<BusName>>([])
    private let newClients: AsyncStream<BusName>.Continuation

    /// - Parameter newClients: receives every client once, as soon as it owns something.
    init(_ newClients: AsyncStream<BusName>.Continuation) {
        self.newClients = newClients
    }

    /// Starts watching the client, unless it is watched already.
    func insert(_ client: BusName) {
        if known.withLock({ $0.insert(client).inserted }) { newClients.yield(client) }
    }

    /// Forgets a client that has left the bus.
    func remove(_ client: BusName) {
        known.withLock { _ = $0.remove(client) }
    }
}
