import Epoll
import Logging

extension Logger {
    /// Logs that changes are found by looking again at intervals only, or that the kernel reports them again; nothing while that
    /// stays as it is.
    ///
    /// - Parameters:
    ///   - obstacle: why the kernel does not report changes now; nil where it does.
    ///   - last: the same of the last time.
    ///   - what: what may change, in the plural.
    ///   - interval: how often they are looked at meanwhile.
    func log(
        _ obstacle: DirectoryWatch.Obstacle?,
        after last: DirectoryWatch.Obstacle?,
        of what: String,
        every interval: Duration
    ) {
        guard obstacle != last else { return }
        if let obstacle {
            let seconds = interval.components.seconds
            warning("changes of \(what) are noticed every \(seconds) s instead of at once: \(obstacle)")
        } else {
            notice("changes of \(what) are noticed at once again")
        }
    }
}
