import Glibc

/// A timer that is started for a while, and knows whether it was.
struct CountdownTimer: Sendable {
    private let timer: KernelTimer
    private var isRunning = false

    /// The descriptor, which is readable when the timer has run out; it is never closed.
    var descriptor: CInt { timer.descriptor }

    /// Makes a timer that does not run; nil when the system allows no more descriptors.
    init?() {
        guard let timer = KernelTimer(CLOCK_MONOTONIC) else { return nil }
        self.timer = timer
    }

    /// Starts the timer, unless it runs already, or has run out and was not stopped.
    mutating func start(_ time: Duration) {
        guard !isRunning else { return }
        isRunning = true
        timer.set(after: time)
    }

    /// Stops the timer, which also makes it unreadable.
    mutating func stop() {
        guard isRunning else { return }
        isRunning = false
        timer.set(after: .zero)
    }
}
