import AsyncSupport
import HandoffCore
import HandoffModel
import HandoffWire
import Logging

extension Engine {
    /// The takes of activities, in both directions.
    var takes: EngineTakes { EngineTakes(engine: self) }
}

/// How the attempts end to go on with an activity: here, for its origin; elsewhere, for the app here.
struct EngineTakes: Sendable {
    let engine: Engine

    // MARK: By this device

    /// Begins a take whose activity is being acknowledged to its origin, in a session that stays open.
    func begin(_ take: TakeID, with device: DeviceID) {
        engine.change { state, now in state.takes.begin(take, with: device, at: now) }
    }

    /// Records how a take ended; nothing for one whose activity was never acknowledged.
    func end(_ take: TakeID, _ outcome: TakeOutcome) {
        engine.change { state, now in state.takes.end(take, outcome, at: now) }
        wake()
    }

    /// Forgets a take whose outcome will never be known.
    func abandon(_ take: TakeID) {
        engine.change { state, _ in state.takes.abandon(take) }
    }

    /// Returns the report on a take for the session in which its activity came, once the outcome is known.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    func reportInSession(of take: TakeID) async throws -> TakeReport {
        var changes = engine.takeChanges.current
        while true {
            if let report = engine.read({ $0.takes.reportInSession(of: take) }) { return report }
            changes = try await engine.takeChanges.changed(since: changes)
        }
    }

    /// Records that the session in which the activity of a take came has ended.
    func sessionEnded(_ take: TakeID, _ attempt: TakeReports.Attempt) {
        engine.change { state, now in state.takes.sessionEnded(take, attempt, at: now) }
        engine.logger.debug(
            "the session of a take has ended; its report: \(attempt)",
            metadata: ["event": "take.session-ended", "take": "\(take)"]
        )
        wake()
    }

    /// Returns the next report that needs a session of its own, with its origin, which is heard at present.
    func nextReport() -> (peer: SessionPeer, report: TakeReport)? {
        let next: (device: DeviceID, report: TakeReport)? = engine.edit { state in
            guard !state.rules.isPaused else { return nil }
            let now = Moment.now
            let (nearby, devices) = (state.nearby, state.trust.devices)
            return state.takes.next(at: now) { nearby.isHeard($0, at: now) && devices[$0] != nil }
        }
        guard let next else { return nil }
        guard let peer = try? engine.sessions.peer(next.device) else {
            attemptEnded(next.report.take, .lost)
            return nil
        }
        return (peer, next.report)
    }

    /// Records how an attempt to report in a session of its own ended.
    func attemptEnded(_ take: TakeID, _ attempt: TakeReports.Attempt) {
        engine.change { state, now in state.takes.attemptEnded(take, attempt, at: now) }
        engine.takeChanges.set(())
    }

    // MARK: By other devices

    /// Notes the report of a device on one of its takes, and tells the app of the activity.
    ///
    /// A report of an unknown take changes nothing.
    func note(_ report: TakeReport, by device: DeviceID) {
        engine.change { state, now in
            guard let record = state.origin.end(report, by: device, at: now) else { return }
            state.show(.takeEnded(record, by: device, name: state.name(of: device), report.outcome))
        }
        engine.logger.debug(
            "a device has reported how it goes on with an activity: \(report.outcome)",
            metadata: ["event": "take.reported", "device": "\(device)", "take": "\(report.take)"]
        )
    }

    // MARK: Time

    /// Forgets the takes in both directions whose time is over.
    func expire() {
        let (unknown, unreported) = engine.change { state, now in
            (state.origin.expireTakes(at: now), state.takes.expire(at: now))
        }
        for take in unknown {
            engine.logger.info(
                "a device fetched an activity and did not report how it went on; the app was told nothing",
                metadata: ["event": "take.expired", "take": "\(take.id)"]
            )
        }
        for (_, report) in unreported {
            engine.logger.info(
                "an origin could not be told how its activity was continued here: \(report.outcome)",
                metadata: ["event": "take.unreported", "take": "\(report.take)"]
            )
        }
    }

    private func wake() {
        engine.takeChanges.set(())
        engine.deviceUpdates.set(())
    }
}
