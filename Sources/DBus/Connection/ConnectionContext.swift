/// The state that a connection and the thread of the loop share.
final class ConnectionContext: Sendable {
    let queue: CommandQueue
    let router = SignalRouter()
    let asyncHandlers = AsyncHandlers()
    let sendFailures = SendFailures()
    let objects: ObjectTree

    /// - Throws: `DBusError.Code.limit` if the process has no file descriptor left.
    init() throws(DBusError) {
        queue = try CommandQueue()
        objects = ObjectTree(queue: queue, sendFailures: sendFailures)
    }

    /// Ends everything that waits on the connection with `error`.
    func end(_ error: DBusError) {
        queue.close(error)
        router.end(error)
        asyncHandlers.finish()
        objects.end()
    }
}
