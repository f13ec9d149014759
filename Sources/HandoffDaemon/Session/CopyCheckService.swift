import AsyncSupport
import HandoffCore
import HandoffCrypto
import HandoffWire
import Logging

/// Calls a machine that advertises under this device's own key, to find out whether it has this device's private keys:
/// then it is a copy of this device, and both tell their users.
///
/// Only who has the keys can complete the session, so that neither a recording nor a lying device of the circle makes
/// this device tell its user of a copy.
struct CopyCheckService: Service {
    let client: SessionClient
    let logger: Logger

    private var engine: Engine { client.engine }

    func run() async throws {
        try await check()
    }

    private func check() async throws {
        while true {
            let heard = engine.deviceUpdates.current
            guard let endpoint = engine.copies.nextCall() else {
                _ = try await engine.deviceUpdates.changed(since: heard)
                continue
            }
            do {
                try await call(endpoint)
            } catch {
                try Task.checkCancellation()
                // A forgery, which every device of the circle can make, or a machine that has gone.
                logger.info(
                    "what is advertised under this device's own key has not proved that it is a copy: \(error)",
                    metadata: ["event": "identity.unproved"]
                )
            }
        }
    }

    private func call(_ endpoint: PeerEndpoint) async throws {
        let (engine, identity) = (engine, engine.identity)
        let peer = SessionPeer(
            id: identity.id,
            name: "A machine that advertises under this device's own key",
            publicKeys: identity.keys.publicKeys,
            start: endpoint,
            latest: { engine.copies.latestEndpoint },
            others: { [] }
        )
        try await client.withChannel(to: peer, .deferrable) { channel, result in
            // Any request does: what counts is that the answer opens.
            let request = Request.circle(CircleRequest(digest: engine.trust.circleDigest))
            var session = ClientSession(keys: identity.keys, peer: identity.keys.publicKeys, request: request)
            let first = try await channel.next { try session.open($0) }
            engine.copies.willCall(with: first)
            try await channel.sendAll(first)
            _ = try await channel.next { try session.receive($0) }
            try await channel.sendAll(try session.acknowledge())
            result.deliver(())
            await SessionClient.awaitClose(of: channel)
        }
        engine.copies.recordProof()
    }
}
