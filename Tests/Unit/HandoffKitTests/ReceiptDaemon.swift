import AsyncSupport
import DBus
import Epoll

@testable import HandoffKit

/// The part of a daemon that gives receipts for one pair of streams.
final class ReceiptDaemon: Sendable {
    /// The daemon's end of the connection over which the receipts are given, once the app has asked for them.
    let receipts = Promise<ReceiptSocket>()

    private let reactor: Reactor
    private let work: AsyncStream<@Sendable () async -> Void>
    private let newWork: AsyncStream<@Sendable () async -> Void>.Continuation

    init(on reactor: Reactor) {
        self.reactor = reactor
        (work, newWork) = AsyncStream.makeStream()
    }

    /// Runs `body` with a daemon, and what the app leaves to its connection to Handoff meanwhile.
    static func running(_ body: @escaping @Sendable (ReceiptDaemon, Reactor) async throws -> Void) async throws {
        try await Reactor.withReactor { reactor in
            let daemon = ReceiptDaemon(on: reactor)
            try await withBackgroundTasks([{ await daemon.run() }]) { try await body(daemon, reactor) }
        }
    }

    /// What the app's streams need.
    var support: StreamConnection.Support {
        StreamConnection.Support(reactor: reactor) { [receipts, reactor] _ in
            let (near, far) = try ReceiptSocket.connected(on: reactor)
            receipts.fulfil(near)
            return UnixFD(taking: far)
        } perform: { [newWork] action in
            newWork.yield(action)
        }
    }

    private func run() async {
        await withDiscardingTaskGroup { group in
            for await action in work { group.addTask { await action() } }
        }
    }
}
