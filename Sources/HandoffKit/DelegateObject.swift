import DBus
import FoundationEssentials
import HandoffBus

/// The D-Bus object that receives save requests, streams and notices of continuation for the activities of the app.
struct DelegateObject: ActivityDelegate {
    let handoff: Handoff

    func willSave(_ activity: ObjectPath) async throws {
        let activity = try known(activity)
        do {
            try await activity.save()
        } catch {
            let error = CocoaError(any: error)
            let name = error.handoffReason.flatMap { HandoffErrorName(rawValue: $0.rawValue) } ?? .invalidArgument
            throw name.reply(error.handoffMessage)
        }
    }

    func wasContinued(_ activity: ObjectPath, by device: ObjectPath, named name: String) {
        guard let activity = handoff.publisher.activity(at: activity) else { return }
        handoff.perform { await activity.delegate?.userActivityWasContinued(activity, on: name) }
    }

    func didFailToContinue(
        _ activity: ObjectPath,
        on device: ObjectPath,
        named name: String,
        _ error: String,
        _ message: String
    ) {
        guard let activity = handoff.publisher.activity(at: activity) else { return }
        let failure = CocoaError(errorName: error, message)
        handoff.perform { await activity.delegate?.userActivity(activity, didFailToContinueOn: name, error: failure) }
    }

    func didReceiveStream(
        _ stream: UnixFD,
        of activity: ObjectPath,
        from device: ObjectPath,
        named name: String
    ) throws {
        let activity = try known(activity)
        guard let delegate = activity.delegate else {
            throw HandoffErrorName.streamsNotSupported.reply("The app accepts no streams.")
        }
        let streams = ContinuationStreams(stream, handoff.streamSupport)
        handoff.perform {
            do {
                try await delegate.userActivity(activity, didReceive: streams, from: name)
                try await streams.end()
            } catch {
                streams.abort()
            }
        }
    }

    private func known(_ path: ObjectPath) throws(DBusError) -> UserActivity {
        guard let activity = handoff.publisher.activity(at: path) else {
            throw HandoffErrorName.noSuchActivity.reply("The app has no activity \(path).")
        }
        return activity
    }
}
