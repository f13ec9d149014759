import BlueZ
import DBus
import HandoffRadio
import L2CAP
import Logging
import Synchronization

extension BlueZRadio {
    /// Whether a dial to that port goes through the mailbox at once.
    ///
    /// - Throws: ``RadioError`` with `refused` when it would have to and may not.
    func usesMailbox(for port: ChannelPort) throws(RadioError) -> Bool {
        switch transport {
        case .gatt: return true
        case .automatic: return port == .mailboxOnly
        case .l2cap:
            guard port != .mailboxOnly else {
                throw RadioError(
                    .refused,
                    "the other device has channels over GATT only, and this one is set to L2CAP only: set 'transport' "
                        + "to 'automatic'"
                )
            }
            return false
        }
    }

    /// Opens a channel through the mailbox of a device; `dials` has given the turn.
    func openMailbox(
        of peer: DeviceAddress,
        _ port: ChannelPort,
        deadline: ContinuousClock.Instant,
        in session: Session
    ) async throws -> MailboxCaller {
        try await find(peer, in: session)
        let device = try await session.bluez.withQuiet(on: session.adapter) {
            try await session.bluez.connectedDevice(
                peer,
                on: session.adapter,
                timeout: ContinuousClock.now.duration(to: deadline)
            )
        }
        let caller = MailboxCaller(try await MailboxLink(device, turns: mailboxTurns.borrow(peer)))
        try await caller.open(port)
        return caller
    }

    /// Waits until bluetoothd knows the device: it forgets those that nobody uses.
    private func find(_ peer: DeviceAddress, in session: Session) async throws {
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
    /// Publishes the mailbox while `body` runs; `serve` gets each channel that is opened.
    func withMailbox<Success: Sendable>(
        _ post: MailboxPost,
        places: Places,
        in session: Session,
        serving serve: @escaping @Sendable (BlueZChannel) async -> Void,
        _ body: () async throws -> Success
    ) async throws -> Success {
        defer { post.close() }
        return try await session.bluez.withApplication([post.service], on: session.adapter) {
            let accepting: @Sendable () async throws -> Void = {
                await withDiscardingTaskGroup { group in
                    for await arrival in post.arrivals {
                        group.addTask { await self.serve(arrival, of: post, places, in: session, serve) }
                    }
                }
            }
            return try await withCompanions([accepting], body)
        }
    }

    private func serve(
        _ arrival: MailboxPost.Arrival,
        of post: MailboxPost,
        _ places: Places,
        in session: Session,
        _ serve: @Sendable (BlueZChannel) async -> Void
    ) async {
        let address = (try? await session.bluez.device(at: arrival.device))?.address
        let peer = RadioAddress(address?.description ?? arrival.device.lastElement)
        let wasSilent = Mutex(false)
        let watches: [@Sendable () async throws -> Void] = [
            {
                guard try await post.waitForSilence(of: arrival) else { return }
                wasSilent.withLock { $0 = true }
                arrival.channel.lose(RadioError(.channelClosed, "the other device has fallen silent"))
            },
            {
                try? await session.bluez.waitForDisconnection(of: arrival.device)
                guard !Task.isCancelled else { return }
                arrival.channel.lose(RadioError(.channelClosed, "the link to the other device was lost"))
            },
        ]
        try? await withCompanions(watches) { await serve(BlueZChannel(peer: peer, carrier: .mailbox(arrival.channel))) }
        arrival.channel.close()
        places.giveBack()
        // Who called drops the link. One that has died cannot, and the link would stand for ever.
        if let address, wasSilent.withLock(\.self) { await session.bluez.disconnect(address, on: session.adapter) }
        // The caller may not have read the end yet.
        _ = try? await post.waitForSilence(of: arrival)
        post.forget(arrival)
    }
}

extension L2CAPError.Code {
    /// Whether it says that this host has no LE credit-based channels for us, and not that something went wrong.
    var meansNoChannels: Bool {
        [.noBluetooth, .notPermitted, .unsupported].contains(self)
    }
}
