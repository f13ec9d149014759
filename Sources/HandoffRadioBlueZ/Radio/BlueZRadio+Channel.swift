import AsyncSupport
import BlueZ
package import HandoffRadio
import L2CAP
import Logging
import Synchronization

extension BlueZRadio {
    /// How long an unused link is kept: the next dial to the same device finds it, and need not wait for its end.
    private static let linger = Duration.milliseconds(500)

    /// How long bluetoothd may take to say whether there is a link already.
    static let deviceQueryTimeout = Duration.seconds(1)

    package func withChannel<Success: Sendable>(
        to address: RadioAddress,
        port: ChannelPort,
        timeout: Duration,
        _ body: (BlueZChannel) async throws -> Success
    ) async throws -> Success {
        guard let peer = DeviceAddress(description: address.description) else {
            throw RadioError(.timedOut, "\(address) is no address of a Bluetooth device")
        }
        let session = try session()
        return try await mappingToRadioError(refusal: .timedOut) {
            try await withBackgroundTasks([{ try await session.bluez.watch(session.adapter) }]) {
                // The end of the last link does not count as time that the device has taken.
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

    /// What a dial gives.
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

    /// Lets go of a channel that was opened too late for anybody to use it.
    private func discard(_ late: OpenedChannel, to peer: DeviceAddress, in session: Session) {
        BlueZChannel(peer: RadioAddress(peer.description), carrier: late.channel).close()
        guard case .gatt = late else { return release(peer, in: session, after: Self.linger) }
        release(peer, in: session, after: Self.linger, forgets: true)
    }

    /// Runs `body` with the channel, and closes it and lets go of the link afterwards.
    private func use<Success: Sendable>(
        _ opened: OpenedChannel,
        to peer: DeviceAddress,
        in session: Session,
        _ body: (BlueZChannel) async throws -> Success
    ) async throws -> Success {
        let channel = BlueZChannel(peer: RadioAddress(peer.description), carrier: opened.channel)
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

    /// Drops the link to a device a while after its last user has ended, unless somebody uses it again by then.
    ///
    /// Nobody dials the device until it is dropped: bluetoothd, once asked, takes a fresh channel down with the link.
    ///
    /// - Parameters:
    ///   - peer: the device.
    ///   - session: the radio's present life.
    ///   - delay: how long the link is kept.
    ///   - isOurs: whether this side has made the link: only then it is dropped without a look when the radio ends.
    ///   - forgets: whether bluetoothd is to forget the device as well, which it would store on disk otherwise.
    func release(
        _ peer: DeviceAddress,
        in session: Session,
        after delay: Duration,
        isOurs: Bool = true,
        forgets: Bool = false
    ) {
        links.withLock { $0.removeUser(of: peer) }
        session.bluez.performInBackground {
            try? await Task.sleep(for: delay)
            try? await self.linkTurns.withLock(for: peer) {
                guard self.links.withLock({ $0.removeIfUnused(peer) }) else { return }
                await session.bluez.disconnect(peer, on: session.adapter, limit: self.dropLimit)
                guard forgets else { return }
                guard !Task.isCancelled else { return session.bluez.requestForget(peer, on: session.adapter) }
                await session.bluez.forget(peer, on: session.adapter)
            }
            // Cancelled: the radio ends, and the link should not outlive it.
            guard self.links.withLock({ $0.removeIfUnused(peer) }), isOurs else { return }
            if forgets {
                session.bluez.requestForget(peer, on: session.adapter)
            } else {
                session.bluez.requestDisconnect(peer, on: session.adapter)
            }
        }
    }

    /// Opens a channel when it is this dial's turn.
    private func open(
        _ peer: DeviceAddress,
        _ port: ChannelPort,
        deadline: ContinuousClock.Instant,
        in session: Session
    ) async throws -> OpenedChannel {
        try await dials.withLock { try await openNow(peer, port, deadline: deadline, in: session) }
    }

    /// Opens a channel; one that fails has released the link.
    private func openNow(
        _ peer: DeviceAddress,
        _ port: ChannelPort,
        deadline: ContinuousClock.Instant,
        in session: Session
    ) async throws -> OpenedChannel {
        let usesGATT = try usesGATT(for: port)
        let isForeign = try await isForeign(peer, in: session)
        links.withLock { $0.addUser(of: peer, isForeign: isForeign) }
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
            release(peer, in: session, after: Self.linger, forgets: usesGATT)
            throw error
        }
    }

    private func connect(
        to peer: DeviceAddress,
        _ port: ChannelPort,
        deadline: ContinuousClock.Instant,
        in session: Session
    ) async throws -> L2CAPChannel {
        try await session.bluez.withDiscoveryPaused(on: session.adapter) {
            try await dial(peer, port, deadline: deadline, in: session)
        }
    }

    /// Whether somebody else holds a link to that device, or might want to: a bluetoothd that does not answer in time has
    /// better things to do than to drop it.
    private func isForeign(_ peer: DeviceAddress, in session: Session) async throws -> Bool {
        guard !links.withLock({ $0.contains(peer) }) else { return false }
        return try await withTimeout(Self.deviceQueryTimeout) {
            do {
                let device = try await session.bluez.device(peer, on: session.adapter)
                return device.isConnected || device.isPairedOrTrusted
            } catch let error as BlueZError where error.code == .deviceAbsent {
                return false
            }
        } ?? true
    }

    /// Dials until it succeeds, fails for good, or the time is over.
    private func dial(
        _ peer: DeviceAddress,
        _ port: ChannelPort,
        deadline: ContinuousClock.Instant,
        in session: Session
    ) async throws -> L2CAPChannel {
        var backoff = DialBackoff()
        while true {
            do throws(L2CAPError) {
                return try await L2CAPChannel.connect(
                    to: L2CAPEndpoint(address: BluetoothAddress(peer), psm: port.rawValue),
                    from: BluetoothAddress(session.adapter.address),
                    timeout: ContinuousClock.now.duration(to: deadline),
                    on: session.reactor
                )
            } catch {
                let left = ContinuousClock.now.duration(to: deadline)
                guard let delay = backoff.delay(after: error.code, left: left) else { throw error }
                logger.debug("dialling \(peer) again in \(delay): \(error)")
                try await Task.sleep(for: delay)
            }
        }
    }
}

extension BluetoothAddress {
    /// The same address in the words of the kernel.
    fileprivate init(_ address: DeviceAddress) {
        let kind: Kind = address.kind == .public ? .public : .random
        guard let same = BluetoothAddress(address.text, kind: kind) else {
            preconditionFailure("\(address) is an address for bluetoothd and none for the kernel")
        }
        self = same
    }
}
