extension Duration {
    private static let start = ContinuousClock.now

    /// The time since this program first asked for it, also while the computer sleeps.
    package static var sinceStart: Duration { start.duration(to: .now) }
}
