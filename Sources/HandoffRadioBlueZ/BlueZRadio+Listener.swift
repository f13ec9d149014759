import BlueZ
package import HandoffRadio
import L2CAP
import Logging
import Synchronization

extension BlueZRadio {
    /// How long to wait when no channel can be accepted, because the system is out of something.
    private static let acceptPause = Duration.milliseconds(250)

    package func withListener<Success: Sendable>(
        limit: Int,
        serving serve: @escaping @Sendable (BlueZChannel) async -> Void,
        _ body: (ChannelPort) async throws -> Success
    ) async throws -> Success {
        let session = try session()
        return try await inWordsOfRadios(refusal: .listeningRefused) {
            let listener = try L2CAPListener(reactor: session.reactor)
            defer { listener.close() }
            guard let port = ChannelPort(rawValue: listener.endpoint.psm) else {
                throw RadioError(
                    .listeningRefused,
                    "the kernel gave the port \(listener.endpoint.psm), which is none of LE"
                )
            }
            let companions: [@Sendable () async throws -> Void] = [
                { try await session.bluez.watch(session.adapter) },
                { try await self.accept(from: listener, limit: limit, in: session, serve) },
            ]
            return try await withCompanions(companions) { try await body(port) }
        }
    }

    /// Serves each channel in a child task, until the task is cancelled.
    private func accept(
        from listener: L2CAPListener,
        limit: Int,
        in session: Session,
        _ serve: @escaping @Sendable (BlueZChannel) async -> Void
    ) async throws {
        let places = Places(limit)
        try await withThrowingDiscardingTaskGroup { group in
            while !Task.isCancelled {
                guard let channel = try await nextChannel(of: listener) else { continue }
                guard places.take() else {
                    channel.close()
                    continue
                }
                group.addTask {
                    await self.serve(channel, in: session, serve)
                    places.giveBack()
                }
            }
        }
    }

    /// The next channel, or nil after a pause because there was an error that may pass.
    private func nextChannel(of listener: L2CAPListener) async throws -> L2CAPChannel? {
        do throws(L2CAPError) {
            return try await listener.accept()
        } catch {
            guard error.code != .cancelled, error.code != .closed else { throw error }
            logger.warning("\(error)")
        }
        try await Task.sleep(for: Self.acceptPause)
        return nil
    }

    private func serve(
        _ channel: L2CAPChannel,
        in session: Session,
        _ serve: @Sendable (BlueZChannel) async -> Void
    ) async {
        let peer = channel.peer.flatMap { DeviceAddress($0.address) }
        if let peer { links.withLock { $0.begin(peer, isForeign: false) } }
        let address = RadioAddress(peer?.description ?? "unknown")
        await serve(BlueZChannel(peer: address, channel: channel))
        channel.close()
        // Who dialled drops the link; this is for those who do not.
        if let peer { release(peer, in: session, after: .seconds(5), isOurs: false) }
    }
}

/// How many channels may be open at once.
private final class Places: Sendable {
    private let free: Mutex<Int>

    init(_ count: Int) {
        free = Mutex(count)
    }

    /// Takes a place; false when there is none.
    func take() -> Bool {
        free.withLock { free in
            guard free > 0 else { return false }
            free -= 1
            return true
        }
    }

    func giveBack() {
        free.withLock { $0 += 1 }
    }
}

extension DeviceAddress {
    /// The same address in the words of bluetoothd.
    init?(_ address: BluetoothAddress) {
        self.init(address.description, kind: address.kind == .public ? .public : .random)
    }
}
