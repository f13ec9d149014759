import HandoffModel

/// The numbers by which other devices name the activities of this one when they ask for streams.
///
/// A token is valid for one run of the daemon only: a device that was away must not reach another activity with an old
/// token.
package struct StreamTokens: Hashable, Sendable {
    private let run: UInt32

    /// - Parameter run: a random number of this run.
    package init(run: UInt32) {
        // Never 0, so that no token is 0.
        self.run = max(run, 1)
    }

    /// Returns the token of an activity, never 0.
    package func token(for id: ActivityID) -> UInt64 {
        UInt64(run) << 32 | UInt64(UInt32(truncatingIfNeeded: id.rawValue))
    }

    /// Returns the activity of a token; nil for a token of another run.
    package func activity(for token: UInt64) -> ActivityID? {
        UInt32(truncatingIfNeeded: token >> 32) == run ? ActivityID(rawValue: token & 0xFFFF_FFFF) : nil
    }
}
