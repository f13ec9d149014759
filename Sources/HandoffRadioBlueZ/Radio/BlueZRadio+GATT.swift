import AsyncSupport
import Bluetooth
import BlueZ
import DBus
import HandoffRadio
import Logging
import Synchronization

extension BlueZRadio {
    /// Whether a dial to that port uses GATT without trying L2CAP.
    ///
    /// - Throws: ``RadioError`` with `refused` when GATT is required but not enabled here.
    func usesGATT(for port: LEPSM) throws(RadioError) -> Bool {
        switch transport {
        case .gatt: return true
        case .automatic, .both: return port == .gattOnly
        case .l2cap:
            guard port != .gattOnly else {
                throw RadioError(
                    .refused,
                    "the other device supports channels over GATT only, and this one is set to L2CAP only: set 'transport' "
                        + "to 'automatic'"
                )
            }
            return false
        }
    }

    /// Opens a GATT channel to a device; the caller has a permit of `dials`.
    func openGATTChannel(
        of peer: BluetoothAddress,
        _ port: LEPSM,
        deadline: ContinuousClock.Instant,
        in session: Session
    ) async throws -> GATTClientTransport {
        var backoff = Backoff(first: .milliseconds(100), longest: .milliseconds(500))
        while true {
            do {
                let device = try await connect(to: peer, deadline: deadline, in: session)
                return try await openGATTChannel(of: device, at: peer, port)
            } catch let error as BlueZError where Self.transient.contains(error.code) {
                logger.debug("dialling \(peer) over GATT again in \(backoff.nextDelay): \(error)")
                try await backoff.wait()
            }
        }
    }

    /// Temporary failures that say nothing about the peer; the caller has a time limit.
    private static let transient: Set<BlueZError.Code> = [.connectFailed, .notConnected, .busy, .deviceAbsent]

    private func openGATTChannel(
        of device: GATTPeer,
        at peer: BluetoothAddress,
        _ port: LEPSM
    ) async throws -> GATTClientTransport {
        try await race {
            let client = GATTClientTransport(try await GATTConnection(device, at: peer, turns: self.gattTurns))
            try await client.open(port)
            return client
        } _: {
            // bluetoothd 5.66 may never answer a read or write that waits when the link is lost.
            try await device.waitForDisconnection()
            throw BlueZError(.notConnected, "the link was lost before the channel was open")
        }
    }

    private func connect(
        to peer: BluetoothAddress,
        deadline: ContinuousClock.Instant,
        in session: Session
    ) async throws -> GATTPeer {
        try await find(peer, in: session)
        return try await session.bluez.withDiscoveryPaused(on: session.adapter) {
            try await session.bluez.connectedDevice(
                peer,
                on: session.adapter,
                timeout: ContinuousClock.now.duration(to: deadline)
            )
        }
    }

    /// Waits until bluetoothd knows the device: it forgets unused ones.
    private func find(_ peer: BluetoothAddress, in session: Session) async throws {
        do {
            _ = try await session.bluez.device(peer, on: session.adapter)
        } catch let error as BlueZError where error.code == .deviceAbsent {
            try await session.bluez.withDiscovery(on: session.adapter, transform: { [$0.address] }) { heard in
                for await address in heard where address == peer { return }
                try Task.checkCancellation()
            }
        }
    }
}

extension BlueZRadio {
    /// Publishes the GATT service while `body` runs; `serve` gets each channel that is opened.
    func withGATTService<Success: Sendable>(
        _ server: GATTServerTransport,
        places: CountingSemaphore,
        in session: Session,
        serving serve: @escaping @Sendable (BlueZChannel) async -> Void,
        _ body: () async throws -> Success
    ) async throws -> Success {
        defer { server.close() }
        guard claimGATTService() else {
            throw RadioError(
                .listeningRefused,
                "channels over GATT can have only one listener, and there is one already"
            )
        }
        defer { isGATTServiceTaken.withLock { $0 = false } }
        return try await session.bluez.withApplication([server.service], on: session.adapter) {
            let accepting: @Sendable () async throws -> Void = {
                await withDiscardingTaskGroup { group in
                    for await incoming in server.incomingChannels {
                        group.addTask { await self.serve(incoming, of: server, places, in: session, serve) }
                    }
                }
            }
            let result: Result<Success, any Error> = await Result {
                try await withBackgroundTasks([accepting], body: body)
            }
            server.close()
            // The peer's bluetoothd (5.66) may crash when a service disappears while it is connected: drop the links
            // first.
            for device in server.devices { await session.bluez.disconnect(device) }
            return try result.get()
        }
    }

    /// Reserves the GATT service for one listener: callers could not distinguish two services with the same UUID.
    private func claimGATTService() -> Bool {
        isGATTServiceTaken.withLock { isTaken in
            defer { isTaken = true }
            return !isTaken
        }
    }

    /// Publishes the GATT service beside an L2CAP listener, which works without it, until the task is cancelled.
    func offerGATTService(
        _ server: GATTServerTransport,
        places: CountingSemaphore,
        in session: Session,
        serving serve: @escaping @Sendable (BlueZChannel) async -> Void
    ) async {
        guard transport == .both, session.adapter.servesGATT else { return }
        do {
            try await withGATTService(server, places: places, in: session, serving: serve) { () async throws -> Void in
                try await untilCancelled()
            }
        } catch {
            guard !Task.isCancelled else { return }
            logger.notice("channels over GATT are not offered: \(error)")
        }
    }

    private func serve(
        _ incoming: GATTServerTransport.IncomingChannel,
        of server: GATTServerTransport,
        _ places: CountingSemaphore,
        in session: Session,
        _ serve: @Sendable (BlueZChannel) async -> Void
    ) async {
        let address = (try? await session.bluez.device(at: incoming.device))?.address
        let peer = address.map(RadioAddress.init) ?? RadioAddress(incoming.device.lastElement)
        // A link that this side has created stays until this channel has ended, too; any other is the caller's to drop.
        if let address { links.withLock { $0.addUser(of: address, isForeign: true) } }
        let served = BlueZChannel(peer: peer, carrier: .gatt(incoming.channel)) { self.recordProof(of: address) }
        let (linkEnds, linkEnd) = AsyncStream<Void>.makeStream()
        let watch: @Sendable () async throws -> Void = {
            try? await session.bluez.waitForDisconnection(of: incoming.device)
            guard !Task.isCancelled else { return }
            incoming.channel.fail(RadioError(.channelClosed, "the link to the other device was lost"))
            linkEnd.finish()
        }
        try? await withBackgroundTasks([watch]) {
            let isSilent = await self.serve(served, over: incoming, of: server, serve)
            if let address, !served.isAuthenticated { links.withLock { $0.recordFailure(of: address) } }
            places.release()
            // The caller drops the link. If it has crashed it cannot, and the link would remain indefinitely.
            if let address, isSilent { await session.bluez.disconnect(address, on: session.adapter) }
            // While its link lasts, the caller may not have read the end yet; the limit holds for one that only
            // continues to write.
            _ = try? await withTimeout(GATTServerTransport.idleTimeout) {
                try await race {
                    _ = try await server.waitUntilIdle(of: incoming)
                } _: {
                    for await _ in linkEnds {}
                }
            }
        }
        server.forget(incoming)
        if let address { release(address, in: session, after: Self.linger, forgets: true) }
    }

    /// Serves a channel until `serve` has ended, and closes it; returns whether its caller has fallen silent.
    private func serve(
        _ served: BlueZChannel,
        over incoming: GATTServerTransport.IncomingChannel,
        of server: GATTServerTransport,
        _ serve: @Sendable (BlueZChannel) async -> Void
    ) async -> Bool {
        let isSilent = Mutex(false)
        let watch: @Sendable () async throws -> Void = {
            guard try await server.waitUntilIdle(of: incoming) else { return }
            isSilent.withLock { $0 = true }
            incoming.channel.fail(RadioError(.channelClosed, "the other device has stopped responding"))
        }
        try? await withBackgroundTasks([watch]) { await serve(served) }
        incoming.channel.close()
        return isSilent.withLock(\.self)
    }
}

extension L2CAPError.Code {
    /// Whether this host has no LE credit-based channels for this process, as opposed to a failure.
    var indicatesNoL2CAP: Bool {
        [.noBluetooth, .notPermitted, .unsupported].contains(self)
    }
}
