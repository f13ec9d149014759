/// What a connection and its thread share.
final class Link: Sendable {
    let queue: CommandQueue
    let router = SignalRouter()
    let later = LaterCalls()
    let refusals = Refusals()
    let objects: ObjectTree

    /// - Throws: `DBusError.Code.limit` if the process has no file descriptor left.
    init() throws(DBusError) {
        queue = try CommandQueue()
        objects = ObjectTree(queue: queue, refusals: refusals)
    }

    /// Ends everything that waits for the connection, with `error`.
    func end(_ error: DBusError) {
        queue.close(error)
        router.end(error)
        later.finish()
    }
}
