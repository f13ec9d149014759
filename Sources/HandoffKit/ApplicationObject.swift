import DBus
import FoundationEssentials
import HandoffBus
import HandoffModel

/// The D-Bus object on which the daemon delivers activities of other devices to the app.
struct ApplicationObject: ApplicationHandler {
    let handoff: Handoff

    func willContinue(_ type: ActivityType, from device: String) async throws -> Bool {
        let type = type.rawValue
        return await handoff.delegate?.application(handoff, willContinueUserActivityWithType: type, from: device)
            ?? false
    }

    func `continue`(_ activity: FetchedActivity, from device: String) async throws -> Bool {
        let activity = UserActivity(activity, from: device, in: handoff)
        let restore: RestorationHandler = { responders in
            for responder in responders { await responder.restoreUserActivityState(activity) }
        }
        return await handoff.delegate?.application(handoff, continue: activity, restorationHandler: restore) ?? false
    }

    func didFail(_ type: ActivityType, _ failure: ContinuationFailure) {
        let (handoff, error) = (handoff, CocoaError(failure))
        handoff.perform {
            guard let delegate = handoff.delegate else { return await handoff.show(error) }
            await delegate.application(
                handoff,
                didFailToContinueUserActivityWithType: type.rawValue,
                error: error
            )
        }
    }
}
