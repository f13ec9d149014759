import AsyncSupport
package import Bluetooth
import Epoll
import HandoffRadio
private import Synchronization
private import SystemPackage

extension SimulatedRadio {
    package func withListener<Success: Sendable>(
        limit: Int,
        serving serve: @escaping @Sendable (SimulatedChannel) async -> Void,
        _ body: (LEPSM) async throws -> Success
    ) async throws -> Success {
        try await whileAvailable { station in
            let listener = Listener(limit: limit)
            let port = try open(listener, of: station)
            defer {
                state.withLock { $0.listeners[port] = nil }
                listener.close()
            }
            let accept: @Sendable () async -> Void = { await Self.accept(from: listener, serve) }
            return try await withBackgroundTasks([accept]) { try await body(port) }
        }
    }

    /// Serves every channel of `listener` in a task of its own, until the task is cancelled.
    private static func accept(
        from listener: Listener,
        _ serve: @escaping @Sendable (SimulatedChannel) async -> Void
    ) async {
        await withDiscardingTaskGroup { group in
            for await channel in listener.channels {
                group.addTask {
                    // Nothing in it throws.
                    try? await channel.whileOpen { await serve(channel) }
                    listener.ended()
                }
            }
            group.cancelAll()
        }
    }

    private func open(_ listener: Listener, of station: Station) throws(RadioError) -> LEPSM {
        let port: LEPSM? = state.withLock { state in
            let free = LEPSM.allCases.filter { $0 != .gattOnly && state.listeners[$0] == nil }
            guard let port = station.randomness.element(of: free) else { return nil }
            state.listeners[port] = listener
            return port
        }
        guard let port else { throw RadioError(.listeningRefused, "All ports of the simulated radio are taken.") }
        return port
    }
}
