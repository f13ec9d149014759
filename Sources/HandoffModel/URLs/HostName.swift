/// The name or the address of a host on the web in its one spelling, so that two are equal where a browser goes to the same
/// host.
///
/// A name is in lower case, in ASCII, without a dot at the end; a label beyond ASCII is in Punycode (RFC 3492, RFC 5891). An
/// IPv4 address has four decimal numbers, however it is written: `127.1` and `0x7f000001` are 127.0.0.1 (WHATWG URL, "host
/// parsing"). An IPv6 address is in brackets and as short as it can be (RFC 5952), or is the IPv4 address that it contains.
///
/// Of a label beyond ASCII, only what browsers leave as it is, or put in lower case, is known (`HostLabel`). Any other
/// spelling is no host name: a rule cannot tell which host it means, and must not pass it.
package struct HostName: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The longest name in bytes (RFC 1035, section 2.3.4, in text form).
    package static let maximumBytes = 253

    /// The name.
    package let description: String

    /// Parses a host name or an IP address.
    ///
    /// - Throws: ``ModelError/Code/invalidIdentifier`` for anything else, such as a whole URL.
    package init(_ text: String) throws(ModelError) {
        guard let name = Self.canonical(text) else {
            throw ModelError(
                .invalidIdentifier,
                "\(text.debugDescription) is not a host: use a name such as example.org, without https:// and path; one "
                    + "beyond ASCII in the form that browsers show, or that with xn--."
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

    private static func canonical(_ text: String) -> String? {
        if text.hasPrefix("[") {
            guard text.hasSuffix("]") else { return nil }
            return HostAddress(version6: text.dropFirst().dropLast())?.description
        }
        let name = text.hasSuffix(".") ? text.dropLast() : text[...]
        let labels = name.split(separator: ".", omittingEmptySubsequences: false).map(HostLabel.canonical)
        let known = labels.compactMap(\.self)
        guard known.count == labels.count, let last = known.last else { return nil }
        if HostAddress.isNumber(last) { return HostAddress(version4: known)?.description }
        let joined = known.joined(separator: ".")
        return (1...maximumBytes).contains(joined.utf8.count) ? joined : nil
    }
}

extension WebpageURL {
    /// The host of the page; nil for one of which it is not known where a browser goes.
    package var host: HostName? {
        guard let bytes = PercentCoding.decode(writtenHost), let text = String(validating: bytes, as: UTF8.self) else {
            return nil
        }
        return try? HostName(text)
    }

    /// The host of the page as the address has it, for people.
    package var hostText: String { String(decoding: writtenHost, as: UTF8.self) }

    private var writtenHost: Substring.UTF8View.SubSequence {
        let afterScheme = rawValue.utf8.drop { $0 != UInt8(ascii: "/") }.dropFirst(2)
        let authority = afterScheme.prefix { !"/?#\\".utf8.contains($0) }
        let at = authority.lastIndex(of: UInt8(ascii: "@")).map { authority.index(after: $0) }
        let hostAndPort = authority[(at ?? authority.startIndex)...]
        if hostAndPort.first == UInt8(ascii: "["), let end = hostAndPort.firstIndex(of: UInt8(ascii: "]")) {
            return hostAndPort[...end]
        }
        return hostAndPort.prefix { $0 != UInt8(ascii: ":") }
    }
}
