/// The bounds of a circle, on every device and on the air.
package enum CircleLimits {
    /// The largest number of members: a device and 100 others.
    ///
    /// A scanner tries the key of each for every advertisement received.
    package static let members = 101

    /// The largest number of removals that are remembered; those with the lowest numbers are dropped first.
    ///
    /// A device that was away while 200 others were removed after one can bring that one back; a circle of one user's
    /// own devices does not reach that number.
    package static let removals = 200

    /// The largest generation, version or number that is accepted.
    package static let number = UInt32(Int32.max)
}
