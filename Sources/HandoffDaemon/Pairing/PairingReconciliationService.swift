import AsyncSupport
import HandoffCore
import HandoffRadio
import HandoffWire
import Logging

/// Asks the peers of unconfirmed pairings how these have ended, in as few attempts as are enough.
///
/// The user requested the pairing, so the rule still holds that nothing is sent merely because of an advertisement.
struct PairingReconciliationService: Service {
    let client: SessionClient
    let logger: Logger

    private var engine: Engine { client.engine }

    func run() async throws {
        // Otherwise the stopping daemon would wait for this advertisement as if it were the withdrawal advertisement.
        defer { engine.pairings.stopReconciling() }
        try await reconcile()
    }

    private func reconcile() async throws {
        while true {
            let heard = engine.deviceUpdates.current
            guard let (record, peer) = engine.pairings.nextReconciliation() else {
                _ = try await engine.deviceUpdates.changed(since: heard)
                continue
            }
            do {
                try await ask(peer, about: record)
            } catch {
                try Task.checkCancellation()
                logger.info(
                    "cannot reconcile a pairing yet: \(error)",
                    metadata: ["event": "reconciliation.failed", "device": "\(peer.id)"]
                )
            }
        }
    }

    /// Asks how a pairing has ended, and acknowledges the answer after it was saved; the record stays until the peer has
    /// acknowledged that it has saved it, too.
    private func ask(_ peer: SessionPeer, about record: PairingRecord) async throws {
        let engine = engine
        try await client.withChannel(to: peer, .deferrable) { (channel, result: SessionResult<Void>) in
            let key = engine.pairings.newLocalIdentity().advertisingKey
            let request = PairingRecords.request(for: record)
            var session = ClientSession(keys: engine.identity.keys, peer: peer.publicKeys, request: .settle(request))
            try await channel.sendAll(try await channel.next { try session.open($0) })
            let received = try await channel.next { try session.receive($0) }
            result.noteAnswer()
            do {
                try await engine.pairings.reconcile(record, by: received.answer, toldKey: key)
            } catch {
                // The device itself has answered: other endpoints are not tried.
                return result.fail(error)
            }
            let told = engine.pairings.keyToTell(after: received.answer, to: peer.id)
            try await channel.sendAll(try session.acknowledge(Acknowledgement(advertisingKey: told)))
            do {
                _ = try await channel.next { try session.receiveConclusion($0) }
                try await engine.pairings.conclude(record)
                result.deliver(())
            } catch {
                result.fail(error)
            }
        }
    }
}
