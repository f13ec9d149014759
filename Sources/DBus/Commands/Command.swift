/// A request of another thread to the loop's thread.
enum Command: Sendable {
    case send(OutgoingMessage)
    case call(OutgoingMessage, PendingCall)
    /// Cancels a call; does nothing if it has been answered.
    case cancel(CallID)
    /// Emits InterfacesAdded from the object manager `by`; the properties are read on the loop's thread.
    ///
    /// It is sent to one client only, if `to` names one.
    case announce([Interface], at: ObjectPath, by: ObjectPath, to: BusName?)
    /// Ends the wait of a caller's calls: they are performed or answered as the verdict says.
    case judged(BusName, CallerVerdict)
    /// Ends the wait of a caller's messages behind a call that is performed in its order.
    case performed(BusName)
    /// Sends all queued messages, then ends the connection.
    case stop
}

/// Identifies a call before it has a serial number.
struct CallID: Hashable, Sendable {
    let number: UInt64
}

/// A call that waits for its reply.
struct PendingCall: Sendable {
    let id: CallID
    let destination: BusName
    let deadline: ContinuousClock.Instant
    /// Called exactly once, on the loop's thread unless that has ended.
    let complete: @Sendable (Result<[Value], DBusError>) -> Void

    init(
        _ id: CallID,
        to destination: BusName,
        deadline: ContinuousClock.Instant,
        _ complete: @escaping @Sendable (Result<[Value], DBusError>) -> Void
    ) {
        self.id = id
        self.destination = destination
        self.deadline = deadline
        self.complete = complete
    }

    /// Whether a reply from `sender` may be the reply to this call: for a unique name, only its owner and the bus
    /// reply.
    func accepts(_ sender: BusName?) -> Bool {
        !destination.isUnique || sender == destination || sender == .bus
    }
}
