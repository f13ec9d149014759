package import HandoffModel
package import HandoffWire

/// Streams to the apps of activities that other devices have continued.
extension Origin {
    /// Returns the answer to a trusted device that asks for a stream to the app of an activity, and that activity's id.
    ///
    /// A device that has begun a take is given the activity anyway. Its acknowledgement is on another channel than this
    /// request, and may arrive later.
    package func answer(
        to request: StreamRequest,
        from device: DeviceID
    ) -> (answer: Answer, activity: ActivityID?) {
        let taken = takes.activities(of: device).union(acknowledgedBy.filter { $0.value.contains(device) }.keys)
        guard let id = streamTokens.activity(named: request.activity, by: device, among: taken),
            let record = register[id], obstacle(to: record) == nil
        else {
            return (.refusal(Refusal(.noSuchActivity, "The activity has ended.")), nil)
        }
        guard record.takesStreams else {
            return (.refusal(Refusal(.streamsNotSupported, "Its app takes no continuation streams.")), nil)
        }
        return (.stream, id)
    }

    /// Records that a device has acknowledged an activity.
    package mutating func acknowledged(_ id: ActivityID, by device: DeviceID) {
        guard register[id] != nil else { return }
        acknowledgedBy[id, default: []].insert(device)
    }
}
