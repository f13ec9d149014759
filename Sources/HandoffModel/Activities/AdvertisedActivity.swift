/// What an advertisement says of which activity is current: the hash of its type, and a number that distinguishes it
/// from other activities of the same type.
package struct AdvertisedActivity: Hashable, Sendable {
    /// The hash of the activity's type.
    package let typeHash: ActivityTypeHash
    /// The number that distinguishes it from the origin's other activities.
    package let tag: ActivityTag

    package init(typeHash: ActivityTypeHash, tag: ActivityTag) {
        self.typeHash = typeHash
        self.tag = tag
    }
}

/// A number by which other devices notice that a device's current activity is another one of the same type.
///
/// An activity keeps its tag for as long as it exists and is about the same document, whatever else its app changes in
/// it. Of 128 activities of one run of a daemon that became current one after the other, each has a tag of its own. The
/// first tag of a run is random.
package struct ActivityTag: Hashable, Sendable {
    /// The tag as it is advertised, at most 127.
    package let rawValue: UInt8

    /// Makes a tag of the low seven bits of a number.
    package init(_ number: UInt8) {
        rawValue = number & 0x7F
    }

    /// Makes a tag from its value; nil for more than 127.
    package init?(exactly rawValue: UInt8) {
        guard rawValue < 0x80 else { return nil }
        self.rawValue = rawValue
    }

    /// The tag of the next activity that becomes current for the first time; 0 follows 127.
    package var next: ActivityTag { ActivityTag(rawValue + 1) }
}
