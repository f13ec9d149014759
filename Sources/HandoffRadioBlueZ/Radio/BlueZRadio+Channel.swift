import AsyncSupport
package import Bluetooth
import BlueZ
import DBus
package import HandoffRadio
import Logging
import Synchronization

extension BlueZRadio {
    /// How long an unused link is kept: a dial to the same device in that time reuses it instead of waiting for its
    /// end.
    static let linger = Duration.milliseconds(500)

    package func withChannel<Success: Sendable>(
        to address: RadioAddress,
        port: LEPSM,
        timeout: Duration,
        _ body: (BlueZChannel) async throws -> Success
    ) async throws -> Success {
        guard let peer = BluetoothAddress(description: address.description) else {
            throw RadioError(.timedOut, "\(address) is not the address of a Bluetooth device")
        }
        let session = try session()
        return try await mappingToRadioError(refusal: .timedOut) {
            try await withBackgroundTasks([{ try await session.bluez.watch(session.adapter) }]) {
                // Waiting for the end of the last link does not count towards the timeout.
                let opened = try await linkTurns.withLock(for: peer) {
                    try await withTimeout(
                        timeout,
                        discarding: { (late: OpenedChannel) in self.discard(late, to: peer, in: session) },
                        body: { try await self.open(peer, port, deadline: .now + timeout, in: session) }
                    )
                }
                guard let opened else {
                    throw RadioError(.timedOut, "\(address) did not answer within \(timeout): is it near, and awake?")
                }
                return try await use(opened, to: peer, in: session, body)
            }
        }
    }

    /// The result of a dial.
    private enum OpenedChannel: Sendable {
        case socket(L2CAPChannel)
        case gatt(GATTClientTransport)

        var channel: BlueZChannel.Carrier {
            switch self {
            case .socket(let channel): .socket(channel)
            case .gatt(let client): .gatt(client.channel)
            }
        }

    }

    /// Closes a channel that was opened after the time limit.
    private func discard(_ late: OpenedChannel, to peer: BluetoothAddress, in session: Session) {
        BlueZChannel(peer: RadioAddress(peer), carrier: late.channel).close()
        guard case .gatt = late else { return release(peer, in: session, after: Self.linger) }
        release(peer, in: session, after: Self.linger, forgets: true)
    }

    /// Runs `body` with the channel, then closes it and releases the link.
    private func use<Success: Sendable>(
        _ opened: OpenedChannel,
        to peer: BluetoothAddress,
        in session: Session,
        _ body: (BlueZChannel) async throws -> Success
    ) async throws -> Success {
        let channel = BlueZChannel(peer: RadioAddress(peer), carrier: opened.channel)
        switch opened {
        case .socket:
            defer {
                channel.close()
                release(peer, in: session, after: Self.linger)
            }
            return try await body(channel)
        case .gatt(let client):
            let result: Result<Success, any Error> = await Result {
                try await withBackgroundTasks([{ await client.run() }]) { try await body(channel) }
            }
            await session.bluez.performCleanup { await client.finish() }
            release(peer, in: session, after: Self.linger, forgets: true)
            return try result.get()
        }
    }

    /// Drops the link to a device some time after its last user has ended, unless it is in use again by then.
    ///
    /// No dial to the device starts until the link is dropped: bluetoothd would close a new channel with the link.
    ///
    /// - Parameters:
    ///   - peer: the device.
    ///   - session: the radio's current session.
    ///   - delay: how long the link is kept.
    ///   - isOurs: whether this side created the link: only then is it dropped unconditionally when the radio ends.
    ///   - forgets: whether bluetoothd should also forget the device, which it would store on disk otherwise.
    func release(
        _ peer: BluetoothAddress,
        in session: Session,
        after delay: Duration,
        isOurs: Bool = true,
        forgets: Bool = false
    ) {
        let release = links.withLock { $0.removeUser(of: peer) }
        session.bluez.performInBackground {
            try? await sleep(for: delay)
            try? await self.linkTurns.withLock(for: peer) {
                guard self.links.withLock({ $0.removeIfUnused(peer, since: release) }) else { return }
                await self.drop(session.bluez.path(of: peer, on: session.adapter), in: session)
                guard forgets else { return }
                guard !Task.isCancelled else { return session.bluez.requestForget(peer, on: session.adapter) }
                await session.bluez.forget(peer, on: session.adapter)
            }
            // Cancelled: the radio is ending, and the link should not outlive it.
            guard Task.isCancelled, self.links.withLock({ $0.removeIfUnused(peer) }), isOurs else { return }
            if forgets {
                session.bluez.requestForget(peer, on: session.adapter)
            } else {
                session.bluez.requestDisconnect(peer, on: session.adapter)
            }
        }
    }

    /// Drops the link to a device; meanwhile it can open no channel over GATT.
    func drop(_ device: ObjectPath, in session: Session) async {
        droppedLinks.withLock { _ = $0.insert(device) }
        defer { droppedLinks.withLock { _ = $0.remove(device) } }
        await session.bluez.disconnect(device, limit: dropLimit)
    }

    /// Waits for the turn of this dial and opens a channel.
    private func open(
        _ peer: BluetoothAddress,
        _ port: LEPSM,
        deadline: ContinuousClock.Instant,
        in session: Session
    ) async throws -> OpenedChannel {
        try await dials.withPermit { try await openNow(peer, port, deadline: deadline, in: session) }
    }

    /// Opens a channel; releases the link if that fails.
    private func openNow(
        _ peer: BluetoothAddress,
        _ port: LEPSM,
        deadline: ContinuousClock.Instant,
        in session: Session
    ) async throws -> OpenedChannel {
        logger.debug("dialling", metadata: ["event": "dial.began", "peer": "\(peer)"])
        let usesGATT = try usesGATT(for: port)
        let isForeign = try await isForeign(peer, in: session)
        links.withLock { links in
            links.addUser(of: peer, isForeign: isForeign)
            if !isForeign { links.markOwn(peer) }
            links.recordProof(of: peer)
        }
        do {
            if usesGATT {
                return .gatt(try await openGATTChannel(of: peer, port, deadline: deadline, in: session))
            }
            do {
                return .socket(try await connect(to: peer, port, deadline: deadline, in: session))
            } catch let error as L2CAPError where error.code.indicatesNoL2CAP && transport.fallsBack {
                logger.info("dialling \(peer) over GATT: \(error)")
                return .gatt(try await openGATTChannel(of: peer, port, deadline: deadline, in: session))
            }
        } catch {
            logger.debug("cannot open a channel to \(peer): \(error)")
            release(peer, in: session, after: Self.linger, forgets: usesGATT)
            throw error
        }
    }

    private func connect(
        to peer: BluetoothAddress,
        _ port: LEPSM,
        deadline: ContinuousClock.Instant,
        in session: Session
    ) async throws -> L2CAPChannel {
        // A channel over a link that is up does not disturb a scan. Two dials to one device come together when it is heard
        // for the first time: a fetch, and the update of the circle.
        guard !links.withLock({ $0.hasCarriedChannel(to: peer) }) else {
            return try await dial(peer, port, deadline: deadline, in: session)
        }
        let channel = try await session.bluez.withDiscoveryPaused(on: session.adapter) {
            logger.debug("no scan disturbs the dial", metadata: ["event": "dial.undisturbed", "peer": "\(peer)"])
            return try await dial(peer, port, deadline: deadline, in: session)
        }
        links.withLock { $0.recordChannel(to: peer) }
        return channel
    }

    /// Whether another program, or the other device, has a link to that device, or may want one.
    ///
    /// The answer is true if bluetoothd does not respond in time: it should not be asked to drop the link as well.
    private func isForeign(_ peer: BluetoothAddress, in session: Session) async throws -> Bool {
        guard !links.withLock({ $0.isOwn(peer) }) else { return false }
        return try await withTimeout(deviceQueryTimeout) {
            do {
                let device = try await session.bluez.device(
                    peer,
                    on: session.adapter,
                    timeout: deviceQueryTimeout
                )
                return device.isConnected || device.isPairedOrTrusted
            } catch let error as BlueZError where error.code == .deviceAbsent {
                return false
            }
        } ?? true
    }

    /// Dials until it succeeds, fails permanently, or the deadline has passed.
    private func dial(
        _ peer: BluetoothAddress,
        _ port: LEPSM,
        deadline: ContinuousClock.Instant,
        in session: Session
    ) async throws -> L2CAPChannel {
        var backoff = DialBackoff()
        while true {
            do throws(L2CAPError) {
                let channel = try await L2CAPChannel.connect(
                    to: L2CAPEndpoint(address: peer, psm: port),
                    from: session.adapter.address,
                    timeout: ContinuousClock.now.duration(to: deadline),
                    on: session.reactor
                )
                logger.debug("a channel is open", metadata: ["event": "dial.ended", "peer": "\(peer)"])
                return channel
            } catch {
                let left = ContinuousClock.now.duration(to: deadline)
                guard let delay = backoff.delay(after: error.code, left: left) else { throw error }
                logger.debug("dialling \(peer) again in \(delay): \(error)")
                try await sleep(for: delay)
            }
        }
    }
}
