import DBus
import HandoffCore
import HandoffModel
import HandoffWire

extension Engine {
    /// A change that the bus should show.
    enum Effect: Sendable {
        case activityAdded(ActivityRegister.Record)
        case activityChanged(from: ActivityRegister.Record, to: ActivityRegister.Record)
        case activityRemoved(ActivityRegister.ID)
        /// The app has to be asked to save.
        case saveRequested(ActivityRegister.Record, SaveRequests.Request)
        case saveEnded(ActivityRegister.ID, SaveRequests.Outcome)
        case fetched(ActivityRegister.ID, by: DeviceID, Activity)
        /// The app has to be notified whether a device goes on with its activity.
        case takeEnded(ActivityRegister.Record, by: DeviceID, name: String, TakeOutcome)
        /// `from` is nil if there was no current activity, or if it was removed altogether.
        case currentChanged(from: ActivityRegister.ID?, to: ActivityRegister.ID?)
        case nearby(NearbyTable.Change)
        case deviceAdded(TrustedDevices.Device)
        case deviceChanged(TrustedDevices.Device)
        /// A device was heard for the first time in this run of the daemon: its version is known.
        case deviceHeard(TrustedDevices.Device)
        case deviceRemoved(DeviceID)
        /// Another device has told that devices joined or left, or has caused a question.
        case circleChanged(TrustedDevices.Changes, by: DeviceID)
        /// A program of this device, or a pairing, has changed who is trusted; `hasLeft` when this device has left its circle.
        case circleChangedHere(TrustedDevices.Changes, hasLeft: Bool)
        /// This device was renamed, or the advisories about it have changed.
        case identityChanged
        case radioChanged
        /// How much is scanned, or why not more, has changed.
        case scanningChanged
        /// An app was installed, changed or removed, or the default of a type has changed.
        case appsChanged
        /// A synchronised folder was added, moved or removed.
        case foldersChanged
        /// A setting was changed while the daemon runs, or one waits for a restart.
        case settingsChanged
        /// The rules of the person have changed, or a pause has ended.
        case rulesChanged
        /// What the rules withhold has changed.
        case withheldChanged
        /// The set of unconfirmed pairings has changed.
        case pairingsChanged
    }

    /// A stream that another device has opened to the app of an activity.
    struct IncomingStream: Sendable {
        let activity: ActivityRegister.Record
        let device: DeviceID
        let deviceName: String
        /// The app's end.
        let file: UnixFD
    }
}

/// Shows the engine's state to clients, and asks apps on its behalf.
protocol EngineObserver: Sendable {
    /// Shows an effect.
    ///
    /// Called in the order of the changes, one call at a time, with a lock held: it may read the engine's state, and must not change it.
    func show(_ effect: Engine.Effect)

    /// Gives an app its end of a stream, and waits until the app has accepted it.
    ///
    /// - Throws: ``HandoffError`` with `peerRefused` and the app's reason when the app does not accept it.
    func deliver(_ stream: Engine.IncomingStream) async throws(HandoffError)
}
