import AsyncSupport
import DBus
import HandoffBus
import Synchronization

/// Runs `body`, a call for a nearby activity; on SIGINT or SIGTERM cancels the call at the daemon and waits for its
/// result, since it may be too late; on a second signal waits no longer.
///
/// - Throws: what `body` throws; ``CommandFailure`` when a signal has cancelled the call.
func cancelling<Success: Sendable>(
    _ client: HandoffClient,
    _ nearby: ObjectPath,
    _ body: @escaping @Sendable () async throws -> Success
) async throws -> Success {
    let interruption = Mutex<CommandFailure?>(nil)
    do {
        return try await Interruptions.handled { interruptions in
            try await race(body) {
                while true {
                    let failure = CommandFailure(
                        status: try await interruptions.next(),
                        message: "Interrupted; the activity was not continued here.",
                        name: HandoffErrorName.userCancelled.errorName.description
                    )
                    guard interruption.withLock({ $0 }) == nil else { throw failure }
                    interruption.withLock { $0 = failure }
                    try await client.cancel(nearby)
                }
            }
        }
    } catch let error as DBusError where HandoffErrorName(error.name) == .userCancelled {
        throw interruption.withLock { $0 } ?? error
    }
}
