import DBus
import HandoffBus

/// The object through which the daemon asks for the newest state of an activity, and tells who goes on with it.
struct DelegateObject: ActivityDelegate {
    let handoff: Handoff

    func willSave(_ activity: ObjectPath) async throws {
        try await known(activity).save()
    }

    func wasContinued(_ activity: ObjectPath, by device: ObjectPath, named name: String) {
        guard let activity = handoff.publisher.activity(at: activity) else { return }
        handoff.perform { await activity.delegate?.userActivityWasContinued(activity, on: name) }
    }

    func didReceiveStream(
        _ stream: UnixFD,
        of activity: ObjectPath,
        from device: ObjectPath,
        named name: String
    ) throws {
        let activity = try known(activity)
        guard let delegate = activity.delegate else {
            throw HandoffErrorName.streamsNotSupported.reply("The app takes no streams.")
        }
        let streams = ContinuationStreams(stream, on: handoff.reactor)
        handoff.perform {
            do {
                try await delegate.userActivity(activity, didReceive: streams, from: name)
                streams.close()
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
