/// A domain whose pages an app asks to open: a host, or `*.` and a host for all hosts below it.
///
/// Its grammar is that of Apple's entitlement for associated domains, for the service `activitycontinuation` and
/// without ports.
package struct AssociatedDomain: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The most domains of one app: more than one publisher has, so that an app cannot keep this device busy.
    package static let maximumCount = 20

    /// The host whose file approves the app: the host itself, or the one above all those that are meant.
    package let host: SiteHost
    /// Whether the hosts below ``host`` are meant, and not that host itself.
    package let isWildcard: Bool

    private static let service = "activitycontinuation:"
    private static let wildcard = "*."

    /// Parses an element of `X-Handoff-AssociatedDomains`, such as `activitycontinuation:*.example.org`.
    ///
    /// - Returns: nil for a domain of another service, such as `applinks:example.org`.
    /// - Throws: ``ModelError/Code/invalidIdentifier`` for a domain that is malformed or of no service.
    package init?(element: String) throws(ModelError) {
        guard let colon = element.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            throw ModelError(
                .invalidIdentifier,
                "\(element.debugDescription) names no service: write \(Self.service)example.org."
            )
        }
        guard element[...colon] == Self.service else { return nil }
        try self.init(String(element[element.index(after: colon)...]))
    }

    /// Parses a domain, such as `example.org` or `*.example.org`.
    ///
    /// - Throws: ``ModelError/Code/invalidIdentifier``.
    package init(_ text: String) throws(ModelError) {
        isWildcard = text.hasPrefix(Self.wildcard)
        host = try SiteHost(isWildcard ? String(text.dropFirst(Self.wildcard.count)) : text)
    }

    package var description: String { isWildcard ? Self.wildcard + host.description : host.description }

    /// Whether a page on that host is one of this domain: the host is equal, or for a wildcard below by one or more
    /// labels.
    package func includes(_ host: SiteHost) -> Bool {
        isWildcard ? host.isSubdomain(of: self.host) : host == self.host
    }

    /// How special it is among the domains that include one host: greater for a host than for a wildcard, and for a
    /// longer wildcard than for a shorter one.
    package var rank: Int { 2 * host.labelCount + (isWildcard ? 0 : 1) }

    package static func < (left: Self, right: Self) -> Bool { left.description < right.description }
}
