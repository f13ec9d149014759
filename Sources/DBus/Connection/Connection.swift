package import Epoll

/// A connection to a message bus that is open while a closure runs.
///
/// It works on the thread of the process's loop; no method blocks the calling thread. Calls, signals and replies are sent in the order in
/// which they were passed to the connection.
package final class Connection: Sendable {
    /// The unique name that the bus assigned to this connection.
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
    /// When this returns, all queued messages have been sent, handlers that were still running have been cancelled, and
    /// its socket is closed. If the connection is lost meanwhile, pending calls and signal sequences throw
    /// `.disconnected`, and `body` is cancelled.
    ///
    /// - Parameters:
    ///   - timeout: how long the bus has to answer Hello.
    ///   - loop: where the connection works; that of the process if nil.
    /// - Throws: what `body` throws; `DBusError` with the code `.invalidAddress`, `.connectFailed`, `.timedOut` (the
    ///   bus did not accept the connection in time) or `.cancelled` before `body` runs, and `.disconnected` if the
    ///   connection was lost.
    package static func withConnection<T: Sendable>(
        to address: BusAddress,
        timeout: Duration = .seconds(10),
        in loop: EventLoop? = nil,
        _ body: @escaping @Sendable (Connection) async throws -> T
    ) async throws -> T {
        let opening = try ConnectionOpening(address: address, timeout: timeout, loop)
        let connection = Connection(uniqueName: try await opening.open(), context: opening.context)
        let result = await connection.run(body)
        opening.context.queue.push(.stop)
        if let loss = await opening.end() { throw loss }
        return try result.get()
    }

    /// Runs `body` concurrently with the asynchronous handlers; whichever ends first cancels the other.
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
    /// A signal that cannot be sent (a NUL in a string, see `Value`) is dropped and counted in `sendFailures`.
    package func emit(_ signal: Signal) {
        send { () throws(DBusError) in try signal.message() }
    }

    /// Calls a method without requesting a reply; never blocks.
    ///
    /// A call that cannot be sent is dropped and counted in `sendFailures`.
    package func send(_ call: MethodCall) {
        send { () throws(DBusError) in try call.message(expectsReply: false) }
    }

    /// The same, when the connection next sends or receives something.
    package func sendWithNext(_ call: MethodCall) {
        send(wakes: false) { () throws(DBusError) in try call.message(expectsReply: false) }
    }

    /// The number of signals and of calls without a reply that could not be sent, and the error of the last one.
    package var sendFailures: (count: Int, last: DBusError?) { context.sendFailures.summary }

    private func send(wakes: Bool = true, _ message: () throws(DBusError) -> OutgoingMessage) {
        do {
            context.queue.push(.send(try message()), wakes: wakes)
        } catch {
            context.sendFailures.record(error)
        }
    }
}
