import AsyncSupport
import HandoffCore
import HandoffRadio
import HandoffWire
import Logging

/// Reports to origins how the user went on with their activities, where the session of the fetch has ended before.
///
/// The user requested the continuation that is reported: no device is dialled without one.
struct TakeReportService: Service {
    let client: SessionClient
    let logger: Logger

    private var engine: Engine { client.engine }

    func run() async throws {
        try await report()
    }

    private func report() async throws {
        var heard = engine.deviceUpdates.initial
        while true {
            while let (peer, report) = engine.takes.nextReport() { try await send(report, to: peer) }
            heard = try await engine.deviceUpdates.changed(since: heard)
        }
    }

    private func send(_ report: TakeReport, to peer: SessionPeer) async throws {
        do {
            try await client.withChannel(to: peer, .deferrable) { channel, result in
                try await send(report, to: peer, over: channel, result)
            }
            engine.takes.attemptEnded(report.take, .noted)
        } catch {
            try Task.checkCancellation()
            // Anything but a refusal of the origin itself may come from somebody at a forged address.
            engine.takes.attemptEnded(report.take, error is Refused ? .refused : .lost)
            logger.debug(
                "cannot report how an activity was continued: \(error)",
                metadata: ["event": "take.unsent", "device": "\(peer.id)", "take": "\(report.take)"]
            )
        }
    }

    private func send(
        _ report: TakeReport,
        to peer: SessionPeer,
        over channel: any RadioChannel,
        _ result: SessionResult<Void>
    ) async throws {
        var session = ClientSession(keys: engine.identity.keys, peer: peer.publicKeys, request: .report(report))
        try await channel.sendAll(try await channel.next { try session.open($0) })
        let received = try await channel.next { try session.receive($0) }
        switch received.answer {
        case .noted:
            result.deliver(())
        case .refusal(let refusal):
            // The device itself has answered: other endpoints are not tried.
            result.fail(
                refusal.code == .busy ? HandoffError.refused(refusal, by: peer.name) : Refused(refusal: refusal)
            )
        case .activity, .circle, .settled, .stream:
            let wanted = "that it has noted a report"
            return result.fail(HandoffError.unexpectedAnswer(received.answer, from: peer.name, insteadOf: wanted))
        }
        try await channel.sendAll(try session.acknowledge())
        await SessionClient.awaitClose(of: channel)
    }

    /// The origin never takes the report: it does not understand it, or does not trust this device.
    private struct Refused: Error {
        let refusal: Refusal
    }
}
