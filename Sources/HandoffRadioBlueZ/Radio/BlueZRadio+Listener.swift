import AsyncSupport
package import Bluetooth
import BlueZ
import HandoffRadio
import Logging
import Synchronization
import SystemPackage

extension BlueZRadio {
    /// The pause when no channel can be accepted because the system is short of a resource.
    private static let acceptPause = Duration.milliseconds(250)

    /// How long a link that another device created is kept after its last channel.
    ///
    /// The caller drops it long before. bluetoothd drops a link 2 s after the request, even if it is in use again by
    /// then (bluez src/device.c, DISCONNECT_TIMER); so that device's next dial, on a slow machine too, should come
    /// before.
    private static let incomingLinkLinger = Duration.seconds(20)

    /// The same for a caller that has not proved who it is: as long as for a link without a channel.
    ///
    /// A device of the circle whose session has failed drops the link half a second later itself. When it dials again by
    /// itself, it does so 2 to 4 s after the failure, while the link is there, or 8 s and more after it, when it is gone.
    /// A dial of its user that meets the end of the link is repeated (`PeerDialer`).
    private static let unauthenticatedLinkLinger = IdleLinkLimits().channels

    package func withListener<Success: Sendable>(
        limit: Int,
        serving serve: @escaping @Sendable (BlueZChannel) async -> Void,
        _ body: (LEPSM) async throws -> Success
    ) async throws -> Success {
        let session = try session()
        let places = CountingSemaphore(limit)
        return try await mappingToRadioError(refusal: .listeningRefused) {
            let listener = try socketListener(in: session)
            defer { listener?.close() }
            let port = listener?.psm ?? .gattOnly
            let server = GATTServerTransport(port: port, places: places) { [self] device in
                droppedLinks.withLock { $0.contains(device) }
            }
            guard let listener else {
                return try await withGATTService(server, places: places, in: session, serving: serve) {
                    try await withIdleLinksDropped(offersGATT: true, in: session) {
                        try await body(port)
                    }
                }
            }
            let companions: [@Sendable () async throws -> Void] = [
                { try await session.bluez.watch(session.adapter) },
                { try await self.accept(from: listener, places, in: session, serve) },
                { await self.offerGATTService(server, places: places, in: session, serving: serve) },
            ]
            return try await withBackgroundTasks(companions) {
                try await withIdleLinksDropped(offersGATT: transport == .both, in: session) {
                    try await body(port)
                }
            }
        }
    }

    /// Listens on a PSM; returns nil if this host cannot or is not configured to, and GATT is available.
    ///
    /// - Throws: ``L2CAPError`` when listening fails without a fallback; ``RadioError`` when GATT is required but not
    ///   available.
    private func socketListener(in session: Session) throws -> L2CAPListener? {
        guard transport != .gatt else {
            guard session.adapter.servesGATT else {
                throw RadioError(.listeningRefused, "bluetoothd publishes no GATT services on \(session.adapter.name)")
            }
            return nil
        }
        do throws(L2CAPError) {
            let listener = try L2CAPListener(reactor: session.reactor)
            // This PSM means GATT only: peers could not distinguish the two.
            guard listener.psm != .gattOnly else {
                listener.close()
                throw L2CAPError(.addressInUse, during: .listen)
            }
            return listener
        } catch {
            guard transport.fallsBack, error.code.indicatesNoL2CAP || error.code == .portTaken,
                session.adapter.servesGATT
            else { throw error }
            logger.notice("listening over GATT only: \(error)")
            return nil
        }
    }

    /// Serves each channel in a child task, until the task is cancelled.
    private func accept(
        from listener: L2CAPListener,
        _ places: CountingSemaphore,
        in session: Session,
        _ serve: @escaping @Sendable (BlueZChannel) async -> Void
    ) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            while !Task.isCancelled {
                guard let channel = try await nextChannel(of: listener) else { continue }
                guard places.tryAcquire() else {
                    channel.close()
                    continue
                }
                group.addTask {
                    await self.serve(channel, in: session, serve)
                    places.release()
                }
            }
        }
    }

    /// Returns the next channel, or nil after a pause for an error that may be temporary.
    private func nextChannel(of listener: L2CAPListener) async throws -> L2CAPChannel? {
        do throws(L2CAPError) {
            return try await listener.accept()
        } catch {
            guard error.code != .cancelled, error.code != .closed else { throw error }
            logger.warning("\(error)")
        }
        try await sleep(for: Self.acceptPause)
        return nil
    }

    private func serve(
        _ channel: L2CAPChannel,
        in session: Session,
        _ serve: @Sendable (BlueZChannel) async -> Void
    ) async {
        let peer = channel.peer?.address
        let served = BlueZChannel(
            peer: peer.map(RadioAddress.init) ?? RadioAddress("unknown"),
            carrier: .socket(channel),
            onAuthentication: { self.recordProof(of: peer) }
        )
        guard let peer else { return await self.serve(served, serve) }
        let isKnown = links.withLock { links in
            defer { links.addUser(of: peer, isForeign: false) }
            return links.contains(peer)
        }
        let query: @Sendable () async throws -> Void = {
            guard !isKnown, await self.isShared(peer, in: session), !Task.isCancelled else { return }
            self.links.withLock { $0.markForeign(peer) }
        }
        try? await withBackgroundTasks([query]) { await self.serve(served, serve) }
        // The caller drops the link; this is for callers that do not.
        let linger = served.isAuthenticated ? Self.incomingLinkLinger : Self.unauthenticatedLinkLinger
        if !served.isAuthenticated {
            links.withLock { $0.recordFailure(of: peer) }
            logger.debug("a peer has not proved who it is; its link ends soon", metadata: ["peer": "\(peer)"])
        }
        release(peer, in: session, after: linger, isOurs: false)
    }

    /// Records that the other device of a link has proved who it is.
    func recordProof(of peer: BluetoothAddress?) {
        guard let peer else { return }
        links.withLock { $0.recordProof(of: peer) }
    }

    private func serve(_ channel: BlueZChannel, _ serve: @Sendable (BlueZChannel) async -> Void) async {
        await serve(channel)
        channel.close()
    }

    /// Whether the link of a channel that was just accepted may be used by other programs as well.
    ///
    /// A link that was created for the channel is so new that bluetoothd has not read the peer's services yet. If
    /// bluetoothd does not answer in time, the link counts as shared.
    private func isShared(_ peer: BluetoothAddress, in session: Session) async -> Bool {
        let query = try? await withTimeout(deviceQueryTimeout) {
            let device = try await session.bluez.device(peer, on: session.adapter, timeout: deviceQueryTimeout)
            return device.isPairedOrTrusted || device.hasServices
        }
        return query ?? true
    }
}
