package import HandoffModel

/// What is known of one site, as it is kept over restarts.
///
/// All times are wall-clock times in microseconds since 1970.
package struct SiteRecord: Hashable, Sendable {
    package let host: SiteHost
    /// The apps about which the site was asked, by their identifiers.
    package var asked: Set<String> = []
    /// Those that it approves.
    package var approved: Set<String> = []
    /// When a file was read, or was found unchanged; nil when there is none.
    package var verified: Int64?
    /// When the last check has ended; nil before the first one.
    package var checked: Int64?
    /// When the next check is to be made.
    package var next: Int64
    /// How many checks in a row have failed in a way that may pass.
    package var attempts = 0
    /// Why the last check has failed; nil if it has not.
    package var failure: SiteFailure?
    package var validator: SiteValidator?

    package init(host: SiteHost, next: Int64) {
        self.host = host
        self.next = next
    }
}

extension SiteRecord: Codable {
    private enum Key: String, CodingKey {
        case host, asked, approved, verified, checked, next, attempts, failure, validator
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        host = try SiteHost(container.decode(String.self, forKey: .host))
        asked = Set(try container.decode([String].self, forKey: .asked))
        approved = Set(try container.decode([String].self, forKey: .approved)).intersection(asked)
        verified = try container.decodeIfPresent(Int64.self, forKey: .verified).map(Self.clamped)
        checked = try container.decodeIfPresent(Int64.self, forKey: .checked).map(Self.clamped)
        next = Self.clamped(try container.decode(Int64.self, forKey: .next))
        attempts = min(max(0, try container.decode(Int.self, forKey: .attempts)), Self.maximumAttempts)
        failure = try container.decodeIfPresent(SiteFailure.self, forKey: .failure)
        validator = try container.decodeIfPresent(SiteValidator.self, forKey: .validator)
            .flatMap { SiteResponse.isEntityTag($0.entityTag) ? $0 : nil }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(host.description, forKey: .host)
        try container.encode(asked.sorted(), forKey: .asked)
        try container.encode(approved.sorted(), forKey: .approved)
        try container.encodeIfPresent(verified, forKey: .verified)
        try container.encodeIfPresent(checked, forKey: .checked)
        try container.encode(next, forKey: .next)
        try container.encode(attempts, forKey: .attempts)
        try container.encodeIfPresent(failure, forKey: .failure)
        try container.encodeIfPresent(validator, forKey: .validator)
    }

    /// Limits a time to the years 1970 to 9999, with which no sum overflows.
    private static func clamped(_ time: Int64) -> Int64 { min(max(0, time), 253_402_300_799_000_000) }

    /// More attempts are not counted.
    static let maximumAttempts = 1000
}
