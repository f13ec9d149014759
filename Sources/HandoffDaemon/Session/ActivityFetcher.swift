import AsyncSupport
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffRadio
import HandoffWire
import Logging

/// Fetches the activities of nearby entries from their origins.
struct ActivityFetcher: Sendable {
    let client: SessionClient

    private var engine: Engine { client.engine }

    /// How long the session of a take stays open for the report of its outcome: as long as a running app needs.
    ///
    /// A later report gets a session of its own.
    private static let reportLimit = Duration.seconds(5)

    /// Returns the whole activity of an entry, as soon as it was received and acknowledged.
    ///
    /// The outcome of a take has to be recorded with `EngineTakes.end(_:_:)`, unless this throws.
    ///
    /// - Throws: ``HandoffError`` or `RadioError` that explains the failure and what to do.
    func fetch(_ id: NearbyEntry.ID, for purpose: FetchRequest.Purpose) async throws -> Activity {
        let entry = try engine.nearby.entry(id)
        let peer = try engine.sessions.peer(of: entry)
        note("began", of: peer)
        let (keys, engine) = (engine.identity.keys, engine)
        let answer: Answer = try await client.withChannel(to: peer, .awaited) { channel, result in
            let request = Request.fetch(
                FetchRequest(number: entry.activity.number, purpose: purpose)
            )
            var session = ClientSession(keys: keys, peer: peer.publicKeys, request: request)
            let opening = try await channel.next { try session.open($0) }
            note("greeted", of: peer)
            try await channel.sendAll(opening)
            let received = try await channel.next { try session.receive($0) }
            note("answered", of: peer)
            if let error = Self.violation(in: received.answer, of: entry, by: peer.name, engine) {
                // Without an acknowledgement, the origin does not tell its app that the activity was continued.
                return result.fail(error)
            }
            try await channel.sendAll(try session.acknowledge())
            note("acknowledged", of: peer)
            engine.trust.recordSession(with: peer.id)
            if let digest = received.circleDigest { engine.trust.receiveDigest(digest, from: peer.id) }
            guard case .activity = received.answer, let take = purpose.take else {
                result.deliver(received.answer)
                return await SessionClient.awaitClose(of: channel)
            }
            await self.take(take, received.answer, from: peer, over: channel, session, result)
        }
        switch answer {
        case .activity(let activity):
            engine.nearby.learn(ActivityKind(activity.type, team: activity.teamID))
            engine.nearby.previewed(activity, of: entry.id)
            return activity
        case .refusal(let refusal):
            if refusal.code == .denied { engine.nearby.refused(by: peer.id) }
            guard refusal.code == .noLongerCurrent else { throw HandoffError.refused(refusal, by: peer.name) }
            engine.nearby.replace(entry.id, by: refusal.current)
            throw HandoffError.noLongerCurrent(on: peer.name, insteadShowing: engine.nearby.successorText(of: entry))
        case .circle, .noted, .settled, .stream:
            throw HandoffError.unexpectedAnswer(answer, from: peer.name, insteadOf: Self.wanted)
        }
    }

    /// Logs that a fetch has come to a step, so that its time can be measured.
    private func note(_ step: String, of peer: SessionPeer) {
        engine.logger.debug("fetching an activity", metadata: ["event": "fetch.\(step)", "device": "\(peer.id)"])
    }

    /// Delivers the activity of a take, and stays until its outcome is reported or the session's time is over.
    private func take(
        _ take: TakeID,
        _ answer: Answer,
        from peer: SessionPeer,
        over channel: any RadioChannel,
        _ session: ClientSession,
        _ result: SessionResult<Answer>
    ) async {
        engine.takes.begin(take, with: peer.id)
        if !result.deliver(answer) { engine.takes.end(take, .failed(.cancelled)) }
        await report(take, over: channel, session)
    }

    /// Reports the outcome of a take in the session of its fetch, if it is known soon enough.
    private func report(_ take: TakeID, over channel: any RadioChannel, _ session: ClientSession) async {
        var session = session
        var attempt = TakeReports.Attempt.lost
        defer { engine.takes.sessionEnded(take, attempt) }
        do {
            let report = try await withTimeout(Self.reportLimit) { try await engine.takes.reportInSession(of: take) }
            guard let report else { return }
            try await channel.sendAll(try session.report(report))
            let acknowledgement = try await withTimeout(SessionClient.closeLimit) {
                try await channel.next { try session.receiveAcknowledgement($0) }
            }
            if acknowledgement != nil { attempt = .noted }
        } catch {
            // The report gets a session of its own.
        }
    }

    private static let wanted = "the requested activity"

    /// Returns the error for an answer that no origin gives to this request, or that this device cannot continue because
    /// of its rules or the documents; nil for a refusal and for the activity.
    private static func violation(
        in answer: Answer,
        of entry: NearbyEntry,
        by name: String,
        _ engine: Engine
    ) -> HandoffError? {
        switch answer {
        case .refusal: return nil
        case .activity(let activity):
            guard ActivityKind(activity.type, team: activity.teamID).hash == entry.typeHash else {
                return HandoffError(.peerMisbehaved, "\(name) sent a different activity from the one requested.")
            }
            if let obstacle = engine.rules.obstacle(toTaking: activity, from: entry.device) { return obstacle.error }
            do throws(FolderError) {
                _ = try engine.desktop.folders.local(activity)
                return nil
            } catch {
                return HandoffError(error)
            }
        case .circle, .noted, .settled, .stream:
            return HandoffError.unexpectedAnswer(answer, from: name, insteadOf: wanted)
        }
    }
}
