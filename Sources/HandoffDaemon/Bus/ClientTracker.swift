import DBus
import Synchronization

/// The programs that hold something of this daemon's, each watched once.
final class ClientTracker: Sendable {
    private let known = Mutex<Set<BusName>>([])
    private let newClients: AsyncStream<BusName>.Continuation

    /// - Parameter newClients: gets every program once, as soon as it holds something.
    init(_ newClients: AsyncStream<BusName>.Continuation) {
        self.newClients = newClients
    }

    /// Has the program watched, if it is not yet.
    func insert(_ client: BusName) {
        if known.withLock({ $0.insert(client).inserted }) { newClients.yield(client) }
    }

    /// Forgets a program that has left.
    func remove(_ client: BusName) {
        known.withLock { _ = $0.remove(client) }
    }
}
