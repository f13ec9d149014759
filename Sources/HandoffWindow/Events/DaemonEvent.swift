package import DBus
package import HandoffBus
package import HandoffClient

/// What happens at the daemon, and how the window's calls end.
package enum DaemonEvent: Sendable {
    /// It has stopped, or was never there; the sentence says why, if that is known.
    case absent(String?)
    /// There is no session bus, or not any more; why.
    case busLost(String)
    /// It runs, and its state is this.
    case state(DaemonState)

    /// Another program, or this one, continues an activity.
    case step(ObjectPath, NearbyActivityEvent.Step)
    /// The call that continued an activity has ended.
    case continued(ObjectPath, Result<ContinuationResult, CallFailure>)
    /// The title of an activity; nil when it has none, or could not be fetched.
    case title(ObjectPath, String?)

    /// The daemon has begun to look for a device to pair with.
    case pairingBegan
    case pairing(PairingCall)
    /// What else changes when a device is removed.
    case consequences(device: String, RemovalConsequences)
    /// A call has failed.
    case failed(WindowAction, CallFailure)
    /// `handoffctl doctor --json` has ended: its output, and its exit status; a negative one if it did not run.
    case doctor(output: String, status: Int)
}

/// What the window has to handle.
package enum WindowEvent: Sendable {
    case user(UserEvent)
    case daemon(DaemonEvent)
    /// The window is open for another minute: what it says about times is to be true.
    case minutePassed
}

/// Why a call has failed.
package struct CallFailure: Error, Hashable, Sendable {
    /// The daemon's name for it; nil for errors of the bus and for unknown ones.
    package let name: HandoffErrorName?
    /// A sentence for people.
    package let message: String

    package init(_ name: HandoffErrorName?, _ message: String) {
        (self.name, self.message) = (name, message)
    }

    package init(_ error: DBusError) {
        self.init(HandoffErrorName(error.name), error.message)
    }
}

/// Everything that the daemon tells, at one moment.
package struct DaemonState: Sendable {
    package let status: DaemonStatus
    package let objects: HandoffObjects
    package let rules: RulesStatus
    package let unconfirmed: [UnconfirmedDevice]
    package let apps: [AppDescription]

    package init(
        status: DaemonStatus,
        objects: HandoffObjects,
        rules: RulesStatus,
        unconfirmed: [UnconfirmedDevice],
        apps: [AppDescription]
    ) {
        (self.status, self.objects, self.rules) = (status, objects, rules)
        (self.unconfirmed, self.apps) = (unconfirmed, apps)
    }
}
