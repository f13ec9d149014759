import AsyncSupport
import HandoffCore
import HandoffRadio
import HandoffWire
import Logging
import ServiceLifecycle

/// Asks the peers of unconfirmed pairings how these have ended, in as few attempts as are enough.
///
/// The user requested the pairing, so the rule still holds that nothing is sent merely because of an advertisement.
struct PairingReconciliationService<R: Radio>: Service {
    let engine: Engine
    let radio: R
    let logger: Logger

    /// The time limit for opening a channel.
    private static var dialLimit: Duration { .seconds(10) }
    /// The time limit for one reconciliation as a whole.
    private static var limit: Duration { .seconds(15) }
    /// The time limit for the peer to close the channel.
    private static var closeLimit: Duration { .seconds(2) }

    func run() async throws {
        try await ignoringCancellation {
            // Otherwise the stopping daemon would wait for this advertisement as if it were the withdrawal
            // advertisement.
            defer { engine.stopReconciling() }
            try await cancelWhenGracefulShutdown { try await reconcile() }
        }
    }

    private func reconcile() async throws {
        while true {
            let heard = engine.deviceUpdates.current
            guard let (record, endpoint) = engine.nextReconciliation() else {
                _ = try await engine.deviceUpdates.changed(since: heard)
                continue
            }
            do {
                try await withTimeout(Self.limit, throwing: HandoffError(.timedOut, "Reconciliation took too long.")) {
                    try await ask(record, at: endpoint)
                }
            } catch {
                try Task.checkCancellation()
                logger.info(
                    "cannot reconcile a pairing yet: \(error)",
                    metadata: ["event": "reconciliation.failed", "device": "\(record.peer.id)"]
                )
            }
        }
    }

    private func ask(_ record: PairingRecord, at endpoint: PeerEndpoint) async throws {
        try await radio.withChannel(to: endpoint.address, port: endpoint.port, timeout: Self.dialLimit) { channel in
            try await runSession(record, over: channel)
        }
    }

    private func runSession(_ record: PairingRecord, over channel: R.Channel) async throws {
        let request = PairingRecords.request(for: record, engine.localIdentity.advertisingKey)
        var session = ClientSession(keys: engine.identity.keys, peer: record.peer.publicKey, request: .settle(request))
        try await channel.sendAll(try session.start())
        while let message = try await channel.receive() {
            guard let answered = try session.receive(message) else { continue }
            try engine.reconcile(record, by: answered.answer)
            try await channel.sendAll(answered.acknowledgement)
            // Closing discards data that the peer has not read yet, so wait until the peer closes.
            _ = try? await withTimeout(Self.closeLimit) { try await channel.receive() }
            return
        }
        throw HandoffError(.peerMisbehaved, "The device closed the channel without an answer.")
    }
}
