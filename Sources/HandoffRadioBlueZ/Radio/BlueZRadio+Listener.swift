import AsyncSupport
import BlueZ
package import HandoffRadio
import L2CAP
import Logging
import Synchronization
import SystemPackage

extension BlueZRadio {
    /// How long to wait when no channel can be accepted, because the system is out of something.
    private static let acceptPause = Duration.milliseconds(250)

    /// How long a link stays that another device has made and of which no channel is left.
    ///
    /// Whoever dialled drops it long before. bluetoothd, once asked, drops it 2 s later whatever has come meanwhile
    /// (bluez src/device.c, DISCONNECT_TIMER): what that device dials next, on a slow machine too, should find it.
    private static let incomingLinkLinger = Duration.seconds(20)

    package func withListener<Success: Sendable>(
        limit: Int,
        serving serve: @escaping @Sendable (BlueZChannel) async -> Void,
        _ body: (ChannelPort) async throws -> Success
    ) async throws -> Success {
        let session = try session()
        let places = CountingSemaphore(limit)
        return try await mappingToRadioError(refusal: .listeningRefused) {
            let listener = try socketListener(in: session)
            defer { listener?.close() }
            let port = listener.map(\.endpoint.psm).flatMap(ChannelPort.init) ?? .gattOnly
            let server = GATTServerTransport(port: port, places: places)
            guard let listener else {
                return try await withGATTService(server, places: places, in: session, serving: serve) {
                    try await body(port)
                }
            }
            let companions: [@Sendable () async throws -> Void] = [
                { try await session.bluez.watch(session.adapter) },
                { try await self.accept(from: listener, places, in: session, serve) },
                { await self.offerGATTService(server, places: places, in: session, serving: serve) },
            ]
            return try await withBackgroundTasks(companions) { try await body(port) }
        }
    }

    /// Listens at a PSM, if this host can and may.
    ///
    /// - Throws: ``L2CAPError`` when it cannot and must; ``RadioError`` when there is neither this nor a mailbox.
    private func socketListener(in session: Session) throws -> L2CAPListener? {
        guard transport != .gatt else {
            guard session.adapter.servesGATT else {
                throw RadioError(.listeningRefused, "bluetoothd publishes no GATT services on \(session.adapter.name)")
            }
            return nil
        }
        do throws(L2CAPError) {
            let listener = try L2CAPListener(reactor: session.reactor)
            // The one PSM that says that there is none: not to be told from having no channels at all.
            guard listener.endpoint.psm != ChannelPort.gattOnly.rawValue else {
                listener.close()
                throw L2CAPError(.addressInUse, during: .listen)
            }
            return listener
        } catch {
            guard transport.fallsBack, error.code.indicatesNoL2CAP, session.adapter.servesGATT else { throw error }
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
        let served = BlueZChannel(peer: RadioAddress(peer?.description ?? "unknown"), carrier: .socket(channel))
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
        // Who dialled drops the link; this is for those who do not.
        release(peer, in: session, after: Self.incomingLinkLinger, isOurs: false)
    }

    private func serve(_ channel: BlueZChannel, _ serve: @Sendable (BlueZChannel) async -> Void) async {
        await serve(channel)
        channel.close()
    }

    /// Whether the link on which a channel has just come may be of use to somebody else as well.
    ///
    /// A link that was made for the channel is so young that bluetoothd has not read the other side's services yet. One
    /// that bluetoothd says nothing about in time is left alone.
    private func isShared(_ peer: DeviceAddress, in session: Session) async -> Bool {
        let query = try? await withTimeout(Self.deviceQueryTimeout) {
            let device = try await session.bluez.device(peer, on: session.adapter)
            return device.isPairedOrTrusted || device.hasServices
        }
        return query ?? true
    }
}

extension DeviceAddress {
    /// The same address in the words of bluetoothd.
    init?(_ address: BluetoothAddress) {
        self.init(address.description, kind: address.kind == .public ? .public : .random)
    }
}
