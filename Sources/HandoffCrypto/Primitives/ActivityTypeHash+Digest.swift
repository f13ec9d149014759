package import HandoffModel

extension ActivityTypeHash {
    /// Makes the hash of `type`, whether or not it is a valid type: the first 4 bytes of the SHA-256 of its UTF-8 text, and
    /// where there is a team, of a zero byte and the team after it.
    package init(of type: String, team: String? = nil) {
        let text = Array(type.utf8) + (team.map { [0] + Array($0.utf8) } ?? [])
        self.init(number: UInt64(bigEndianBytes: HandoffDigest.sha256(text).prefix(Self.byteCount)))
    }
}

extension ActivityType {
    /// The four bytes that represent the type without a team in an advertisement.
    package var hash: ActivityTypeHash { ActivityTypeHash(of: rawValue) }
}

extension ActivityKind {
    /// The four bytes that represent the type and the team in an advertisement.
    package var hash: ActivityTypeHash { ActivityTypeHash(of: type.rawValue, team: team) }
}
