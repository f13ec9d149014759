import Epoll
import Logging

extension Logger {
    /// Logs that changes are now found by polling only, or that the kernel reports them again; logs nothing while the
    /// state is unchanged.
    ///
    /// - Parameters:
    ///   - obstacle: why the kernel does not report changes now; nil if it does.
    ///   - last: the obstacle at the previous call.
    ///   - what: what is watched, as a plural noun.
    ///   - interval: the polling interval.
    func log(
        _ obstacle: DirectoryWatch.Obstacle?,
        after last: DirectoryWatch.Obstacle?,
        of what: String,
        every interval: Duration
    ) {
        guard obstacle != last else { return }
        if let obstacle {
            let seconds = interval.components.seconds
            warning(
                "changes of \(what) are detected every \(seconds) s instead of immediately: \(obstacle)",
                metadata: ["event": "watch.unavailable"]
            )
        } else {
            notice("changes of \(what) are detected immediately again", metadata: ["event": "watch.restored"])
        }
    }
}
