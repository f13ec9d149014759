/// A connection to a message bus, for as long as a closure runs.
///
/// It lives on a thread of its own; no method blocks the thread it is called on. What is sent leaves in the order in which
/// it was handed over, whatever it is: calls, signals and answers.
package final class Connection: Sendable {
    /// The name that the bus gave to this connection.
    package let uniqueName: BusName

    let context: ConnectionContext

    private init(uniqueName: BusName, context: ConnectionContext) {
        self.uniqueName = uniqueName
        self.context = context
    }

    /// The objects that this connection offers.
    package var objects: ObjectTree { context.objects }

    /// Connects to the bus at `address`, runs `body`, and disconnects.
    ///
    /// When this returns, everything that was sent has left, calls that were being answered have been cancelled, and the
    /// connection's thread has ended. When the bus goes away meanwhile, pending calls and signal sequences throw
    /// `.disconnected`, and `body` is cancelled.
    ///
    /// The bus may take as long as `timeout` to let us in.
    ///
    /// - Throws: what `body` throws; `DBusError` with the code `.invalidAddress`, `.connectFailed`, `.timedOut` (the bus
    ///   has not let us in) or `.cancelled` before `body` runs, and `.disconnected` if the bus went away.
    package static func withConnection<T: Sendable>(
        to address: BusAddress,
        timeout: Duration = .seconds(10),
        _ body: @escaping @Sendable (Connection) async throws -> T
    ) async throws -> T {
        let owner = try ConnectionThread(address: address, timeout: timeout)
        let (name, thread) = try await owner.open()
        let connection = Connection(uniqueName: name, context: owner.context)
        let result = await connection.run(body)
        owner.context.queue.push(.stop)
        if let loss = await owner.join(thread) { throw loss }
        return try result.get()
    }

    /// Runs `body` beside the calls that are answered later; whichever ends first ends the other.
    private func run<T: Sendable>(
        _ body: @escaping @Sendable (Connection) async throws -> T
    ) async -> Result<T, any Error> {
        await withTaskGroup(of: Result<T, any Error>?.self) { group in
            group.addTask {
                do { return .success(try await body(self)) } catch { return .failure(error) }
            }
            group.addTask {
                await self.context.asyncHandlers.serve()
                return nil
            }
            var result: Result<T, any Error> = .failure(DBusError.disconnected)
            for await ended in group {
                if let ended { result = ended }
                group.cancelAll()
            }
            return result
        }
    }

    /// Emits a signal; never blocks.
    ///
    /// One that cannot be sent (a NUL in a string, see `Value`) is dropped and counted in `sendFailures`.
    package func emit(_ signal: Signal) {
        send { () throws(DBusError) in try signal.message() }
    }

    /// Calls a method without asking for an answer; never blocks.
    ///
    /// One that cannot be sent is dropped and counted in `sendFailures`.
    package func send(_ call: MethodCall) {
        send { () throws(DBusError) in try call.message(expectsReply: false) }
    }

    /// How many signals, and calls without an answer, could not be sent, and why the last one could not.
    package var sendFailures: (count: Int, last: DBusError?) { context.sendFailures.summary }

    private func send(_ message: () throws(DBusError) -> OutgoingMessage) {
        do {
            context.queue.push(.send(try message()))
        } catch {
            context.sendFailures.record(error)
        }
    }
}
