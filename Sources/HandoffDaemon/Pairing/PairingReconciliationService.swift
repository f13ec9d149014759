import AsyncSupport
import HandoffCore
import HandoffRadio
import HandoffWire
import Logging
import ServiceLifecycle

/// Finds out how pairings have ended whose last message was lost, from the other side and in as few tries as are enough.
///
/// A person asked for the pairing; so this is no exception to the rule that nothing is sent because of an advertisement.
struct PairingReconciliationService<R: Radio>: Service {
    let engine: Engine
    let radio: R
    let logger: Logger

    /// How long opening a channel may take.
    private static var dialLimit: Duration { .seconds(10) }
    /// How long all of it may take.
    private static var limit: Duration { .seconds(15) }
    /// How long the other side may take to close.
    private static var closeLimit: Duration { .seconds(2) }

    func run() async throws {
        try await ignoringCancellation {
            // What is still on the air then would be waited for like a farewell.
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
                try await withTimeout(Self.limit, throwing: HandoffError(.timedOut, "It took too long.")) {
                    try await ask(record, at: endpoint)
                }
            } catch {
                try Task.checkCancellation()
                logger.info("a pairing is not settled: \(error)", metadata: ["device": "\(record.peer.id)"])
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
            // Closing throws away what the peer has not taken: wait until it closes.
            _ = try? await withTimeout(Self.closeLimit) { try await channel.receive() }
            return
        }
        throw HandoffError(.peerMisbehaved, "The device closed the channel without an answer.")
    }
}
