/// What other devices call the activities of this one when they ask for streams.
///
/// The names of one run of the daemon mean nothing to the next: a device that was away must not meet another activity
/// under an old name.
package struct StreamTokens: Hashable, Sendable {
    private let run: UInt32

    /// - Parameter run: a random number of this run.
    package init(run: UInt32) {
        // Never 0, so that no name is.
        self.run = max(run, 1)
    }

    /// The name of an activity, never 0.
    package func token(for id: ActivityRegister.ID) -> UInt64 {
        UInt64(run) << 32 | UInt64(UInt32(truncatingIfNeeded: id))
    }

    /// The activity of a name of this run.
    package func activity(for token: UInt64) -> ActivityRegister.ID? {
        UInt32(truncatingIfNeeded: token >> 32) == run ? token & 0xFFFF_FFFF : nil
    }
}
