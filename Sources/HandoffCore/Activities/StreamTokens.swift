package import HandoffCrypto
package import HandoffModel

/// The numbers by which other devices name the activities of this one when they ask for streams.
///
/// A program that has continued an activity knows its token, and may be in a sandbox: it must not reach the activities of
/// other programs by means of it. So a token follows from the activity and the device that took it, under a key that
/// only this daemon has. It is valid for one run: a device that was away must not reach another activity with an old one.
package struct StreamTokens: Sendable {
    private let key: StreamTokenKey

    /// - Parameter key: a key of this run.
    package init(key: StreamTokenKey) {
        self.key = key
    }

    /// Returns the token by which a device names an activity, never 0.
    package func token(of id: ActivityID, for device: DeviceID) -> UInt64 {
        key.token(of: id.rawValue, for: device)
    }

    /// Returns which of `activities` a device names by a token; nil for none.
    package func activity(
        named token: UInt64,
        by device: DeviceID,
        among activities: some Sequence<ActivityID>
    ) -> ActivityID? {
        activities.first { self.token(of: $0, for: device) == token }
    }
}
