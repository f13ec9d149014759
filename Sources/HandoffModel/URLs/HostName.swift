/// The name of a host on the web in one spelling: in lower case, in ASCII, without a dot at the end.
///
/// A label that is not ASCII is kept in Punycode (RFC 3492, RFC 5891), as browsers send it. An IPv4 address is kept as
/// it is written, an IPv6 address in brackets.
package struct HostName: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The longest name in bytes (RFC 1035, section 2.3.4, in text form).
    package static let maximumBytes = 253
    /// The longest label in bytes (RFC 1035, section 2.3.4).
    private static let maximumLabelBytes = 63

    /// The name.
    package let description: String

    /// Parses a host name or an IP address.
    ///
    /// - Throws: ``ModelError/Code/invalidIdentifier`` for anything else, such as a whole URL.
    package init(_ text: String) throws(ModelError) {
        guard let name = Self.normalized(text) else {
            throw ModelError(
                .invalidIdentifier,
                "\(text.debugDescription) is not a host: use a name such as example.org, without https:// and path."
            )
        }
        description = name
    }

    /// Returns whether `host` is this host or, for a name, one of its sub-domains.
    package func includes(_ host: HostName) -> Bool {
        host == self || (!isAddress && host.description.hasSuffix("." + description))
    }

    package static func < (left: Self, right: Self) -> Bool { left.description < right.description }

    /// Whether it is an IP address, which has no sub-domains: a last label of digits is never that of a name.
    private var isAddress: Bool {
        description.hasPrefix("[") || description.split(separator: ".").last?.allSatisfy(\.isNumber) == true
    }

    private static func normalized(_ text: String) -> String? {
        let lower = text.lowercased()
        if lower.hasPrefix("[") { return isBracketedAddress(lower) ? lower : nil }
        let name = lower.hasSuffix(".") ? String(lower.dropLast()) : lower
        let labels = name.split(separator: ".", omittingEmptySubsequences: false).map(asciiLabel)
        let joined = labels.compactMap(\.self).joined(separator: ".")
        guard !labels.contains(nil), (1...maximumBytes).contains(joined.utf8.count) else { return nil }
        return joined
    }

    private static func isBracketedAddress(_ text: String) -> Bool {
        text.hasSuffix("]")
            && text.dropFirst().dropLast().utf8.allSatisfy {
                $0.isLowercaseHexDigit || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".")
            } && text.utf8.count { $0 == UInt8(ascii: ":") } >= 2
    }

    private static func asciiLabel(_ label: Substring) -> String? {
        let ascii = label.utf8.allSatisfy { $0 < 0x80 } ? String(label) : Punycode.encode(label).map { "xn--" + $0 }
        guard let ascii, (1...maximumLabelBytes).contains(ascii.utf8.count),
            ascii.utf8.allSatisfy({ $0.isASCIIWordByte || $0 == UInt8(ascii: "-") })
        else { return nil }
        return ascii
    }
}

extension WebpageURL {
    /// The host of the page; nil for one that no name system has, which matches no ``HostName``.
    package var host: HostName? {
        let afterScheme = rawValue.utf8.drop { $0 != UInt8(ascii: "/") }.dropFirst(2)
        let authority = afterScheme.prefix { !"/?#\\".utf8.contains($0) }
        let hostAndPort = authority.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false).last ?? []
        let colon = UInt8(ascii: ":")
        let bracket = hostAndPort.first == UInt8(ascii: "[") ? hostAndPort.firstIndex(of: UInt8(ascii: "]")) : nil
        let host = bracket.map { hostAndPort[...$0] } ?? hostAndPort.prefix { $0 != colon }
        guard let bytes = PercentCoding.decode(host), let text = String(validating: bytes, as: UTF8.self) else {
            return nil
        }
        return try? HostName(text)
    }
}

extension UInt8 {
    fileprivate var isLowercaseHexDigit: Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self)
    }
}
