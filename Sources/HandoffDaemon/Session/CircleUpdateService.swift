import AsyncSupport
import HandoffCore
import HandoffModel
import HandoffRadio
import HandoffWire
import Logging

/// Sends circle updates, one device after the other, to devices that were heard and may not have the present circle.
///
/// The user requested the change that an update contains; if there is no update, no device is dialled.
struct CircleUpdateService: Service {
    let client: SessionClient
    let logger: Logger

    private var engine: Engine { client.engine }

    /// The time limit for one update as a whole.
    private static let limit = Duration.seconds(20)

    func run() async throws {
        try await call()
    }

    private func call() async throws {
        var heard = engine.deviceUpdates.initial
        while true {
            while let peer = engine.sessions.nextCircleUpdate() { try await update(peer) }
            heard = try await engine.deviceUpdates.changed(since: heard)
        }
    }

    private func update(_ peer: SessionPeer) async throws {
        let engine = engine
        do {
            try await client.withChannel(to: peer, .deferrable, limit: Self.limit) { channel, result in
                do {
                    try await Self.exchange(with: peer, over: channel, result, engine)
                    result.deliver(())
                } catch  where !result.isSilent {
                    // The device itself has answered: other endpoints are not tried.
                    result.fail(error)
                }
            }
        } catch {
            try Task.checkCancellation()
            // The device is dialled again in the next slot, or gets the update from the first other member that it
            // meets.
            logger.info(
                "cannot deliver a circle update yet: \(error)",
                metadata: ["event": "circle.unsent", "device": "\(peer.id)"]
            )
        }
    }

    /// Takes in what the peer knows, tells it what this device knows then, and takes in what it answers (Docs/Circle.md).
    private static func exchange(
        with peer: SessionPeer,
        over channel: any RadioChannel,
        _ result: SessionResult<Void>,
        _ engine: Engine
    ) async throws {
        let request = Request.circle(CircleRequest(digest: engine.trust.circleDigest))
        var session = ClientSession(keys: engine.identity.keys, peer: peer.publicKeys, request: request)
        try await channel.sendAll(try await channel.next { try session.open($0) })
        let received = try await channel.next { try session.receive($0) }
        result.noteAnswer()
        switch received.answer {
        case .circle(let theirs):
            // An acknowledgement says that this device has taken the state in: it comes after that, and not at all for a
            // state that this device refuses.
            try await engine.trust.receive(theirs, from: peer.id)
            let ours = try engine.trust.message(for: peer.id, knowing: theirs.digest)
            try await channel.sendAll(try session.acknowledge(Acknowledgement(circle: ours)))
            let conclusion = try await channel.next { try session.receiveConclusion($0) }
            guard let last = conclusion.circle else {
                throw HandoffError(.peerMisbehaved, "\(peer.name) acknowledged a circle without sending its own.")
            }
            try await engine.trust.receive(last, from: peer.id)
            try await engine.trust.completeExchange(with: peer.id, sent: ours.digest, theirs: last.digest)
        case .refusal(let refusal):
            try await channel.sendAll(try session.acknowledge())
            result.fail(HandoffError.refused(refusal, by: peer.name))
            await SessionClient.awaitClose(of: channel)
        case .activity, .noted, .settled, .stream:
            throw HandoffError.unexpectedAnswer(received.answer, from: peer.name, insteadOf: "its circle")
        }
    }
}
