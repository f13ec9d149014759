/// The bounds of a circle, on every device and on the air (Docs/Circle.md, "Joining and exchanging").
///
/// A type rather than constants, so that a model check can run with small ones.
package struct CircleLimits: Hashable, Sendable {
    /// The largest number of known devices beside the own one.
    package let knownDevices: Int
    /// The largest number of devices that one other device has brought, directly or through those that it brought.
    package let broughtDevices: Int
    /// The largest number of statements of each kind by one author: that devices belong to the circle.
    package let additions: Int
    /// That devices do not belong to it any more.
    package let removals: Int
    /// What devices are called.
    package let names: Int

    /// The limits of this version of the protocol.
    package static let standard = CircleLimits(
        knownDevices: 128,
        broughtDevices: 48,
        additions: 32,
        removals: 32,
        names: 8
    )

    /// Makes other limits, for tests.
    package init(knownDevices: Int, broughtDevices: Int, additions: Int, removals: Int, names: Int) {
        self.knownDevices = knownDevices
        self.broughtDevices = broughtDevices
        self.additions = additions
        self.removals = removals
        self.names = names
    }

    /// The largest number of statements that a copy of a circle has: those of every known device and the own one.
    package var statements: Int { (knownDevices + 1) * (additions + removals + names) }
}
