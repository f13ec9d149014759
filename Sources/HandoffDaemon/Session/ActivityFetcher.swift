import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffWire

/// Fetches the activities of nearby entries from their origins.
struct ActivityFetcher: Sendable {
    let client: SessionClient

    private var engine: Engine { client.engine }

    /// Returns the whole activity of an entry, as soon as it was received and acknowledged.
    ///
    /// - Throws: ``HandoffError`` or `RadioError` that explains the failure and what to do.
    func fetch(_ id: NearbyEntry.ID) async throws -> Activity {
        let entry = try engine.nearby.entry(id)
        let peer = try engine.sessions.peer(of: entry)
        let (keys, engine) = (engine.identity.keys, engine)
        let answer: Answer = try await client.withChannel(to: peer) { channel, result in
            let request = Request.fetch(FetchRequest(typeHash: entry.typeHash, tag: entry.activity.tag))
            var session = ClientSession(keys: keys, peer: peer.publicKey, request: request)
            try await channel.sendAll(try await channel.next { try session.open($0) })
            let received = try await channel.next { try session.receive($0) }
            if let error = Self.violation(in: received.answer, of: entry, by: peer.name) {
                // Without an acknowledgement, the origin does not tell its app that the activity was continued.
                return result.fail(error)
            }
            try await channel.sendAll(received.acknowledgement)
            result.deliver(received.answer)
            if let digest = received.circleDigest { engine.trust.receiveDigest(digest, from: peer.id) }
            await SessionClient.awaitClose(of: channel)
        }
        switch answer {
        case .activity(let activity):
            engine.nearby.learn(activity.type)
            return activity
        case .refusal(let refusal):
            if refusal.code == .noLongerCurrent { engine.nearby.removeStaleEntry(entry.id) }
            throw HandoffError.refused(refusal, by: peer.name)
        case .circle, .settled, .stream:
            throw HandoffError.unexpectedAnswer(answer, from: peer.name, insteadOf: Self.wanted)
        }
    }

    private static let wanted = "the requested activity"

    /// Returns the error for an answer that no origin gives to this request; nil for a refusal and for the activity.
    private static func violation(in answer: Answer, of entry: NearbyEntry, by name: String) -> HandoffError? {
        switch answer {
        case .refusal: nil
        case .activity(let activity) where activity.type.hash == entry.typeHash: nil
        case .activity:
            HandoffError(.peerMisbehaved, "\(name) sent a different activity from the one requested.")
        case .circle, .settled, .stream:
            HandoffError.unexpectedAnswer(answer, from: name, insteadOf: wanted)
        }
    }
}
