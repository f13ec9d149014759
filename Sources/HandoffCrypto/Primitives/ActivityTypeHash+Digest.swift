package import HandoffModel

extension ActivityTypeHash {
    /// Makes the hash of `type`, whether or not it is a valid type: the first 4 bytes of the SHA-256 of its UTF-8 text.
    package init(of type: String) {
        self.init(number: UInt64(bigEndianBytes: HandoffDigest.sha256(Array(type.utf8)).prefix(Self.byteCount)))
    }
}

extension ActivityType {
    /// The four bytes that represent the type in an advertisement.
    package var hash: ActivityTypeHash { ActivityTypeHash(of: rawValue) }
}
