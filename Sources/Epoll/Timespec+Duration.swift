package import Glibc

extension timespec {
    /// The time of a duration, whole nanoseconds of it.
    package init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self.init(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
    }
}
