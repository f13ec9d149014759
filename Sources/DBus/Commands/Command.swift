/// What other threads ask of the connection's thread.
enum Command: Sendable {
    case send(OutgoingMessage)
    case call(OutgoingMessage, PendingCall)
    /// Gives up a call; nothing happens if it has been answered.
    case cancel(CallID)
    /// Tells an object manager's listeners about new interfaces; their properties are read on the connection's thread.
    case announce([Interface], at: ObjectPath, by: ObjectPath)
    /// Sends what is left, then ends the connection.
    case stop
}

/// Tells calls apart before they have a serial number.
struct CallID: Hashable, Sendable {
    let number: UInt64
}

/// A call that waits for its answer.
struct PendingCall: Sendable {
    let id: CallID
    let destination: BusName
    let deadline: ContinuousClock.Instant
    /// Called exactly once, on the connection's thread unless that has ended.
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

    /// Whether an answer from `sender` may be the answer: nobody else answers for a unique name but the bus.
    func accepts(_ sender: BusName?) -> Bool {
        !destination.isUnique || sender == destination || sender == .bus
    }
}
