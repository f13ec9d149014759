import AsyncSupport

/// A program that was started, for whoever has started it.
struct RunningProgram: Sendable {
    /// Its exit status once it has ended, or 128 plus the number of its signal.
    let end = Promise<Int32>()
    /// Set when it shall end.
    let stopping = Promise<Void>()

    /// Ends it, with what it has started, unless it has ended; does not wait for that.
    func stop() {
        stopping.fulfil(())
    }
}
