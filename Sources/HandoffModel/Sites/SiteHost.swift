/// The name of a host whose pages may open an app, in the one spelling that is compared: lower-case ASCII labels.
///
/// It is stricter than ``HostName``, which rules use: what is denied has to be recognised in every spelling, what opens
/// an app only in the usual one. At least two labels of letters, digits and hyphens (RFC 1123, section 2.1), none of
/// them with a hyphen at an end, the last one beginning with a letter, so that it is no IP address. An international
/// name is in its ASCII form (`xn--`, RFC 5890, section 2.3.1); other labels with hyphens at the third and fourth place
/// are reserved and refused.
package struct SiteHost: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The name, without a dot at the end.
    package let description: String

    /// Takes a name in lower case as it is.
    ///
    /// - Throws: ``ModelError/Code/invalidIdentifier`` for anything else, also a name in upper case.
    package init(_ text: String) throws(ModelError) {
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard (1...HostName.maximumBytes).contains(text.utf8.count), labels.count >= 2,
            labels.allSatisfy(Self.isLabel), labels.last?.first?.isASCIILetter == true
        else {
            throw ModelError(
                .invalidIdentifier,
                "\(text.debugDescription) is not the host of a web site: use a name in lower case such as example.org, "
                    + "an international one in its form with xn--."
            )
        }
        description = text
    }

    /// The number of labels.
    package var labelCount: Int { description.utf8.count { $0 == UInt8(ascii: ".") } + 1 }

    /// Whether this host is below `other`, by one or more labels.
    package func isSubdomain(of other: SiteHost) -> Bool {
        description.utf8.count > other.description.utf8.count && description.hasSuffix("." + other.description)
    }

    package static func < (left: Self, right: Self) -> Bool { left.description < right.description }

    private static func isLabel(_ label: Substring.UTF8View) -> Bool {
        let hyphen = UInt8(ascii: "-")
        // RFC 1035, section 2.3.4: at most 63 bytes.
        guard (1...63).contains(label.count), label.first != hyphen, label.last != hyphen,
            label.allSatisfy({ $0 == hyphen || $0.isASCIIDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
            )
        else { return false }
        let start = Array(label.prefix(4))
        guard start.count == 4, start[2] == hyphen, start[3] == hyphen else { return true }
        return label.starts(with: "xn--".utf8) && label.count > 4
    }
}

extension WebpageURL {
    /// The host of the page if the address is a usual one; nil for any other, which opens no app.
    ///
    /// Programs differ in how they read unusual addresses, so there is no host for: a user name, a port but the
    /// scheme's own, a backslash anywhere, a percent sign in the host, and a host that is no ``SiteHost``, such as one
    /// that is not ASCII, or an IP address. Upper case and one dot at the end are usual.
    package var siteHost: SiteHost? {
        guard !rawValue.utf8.contains(UInt8(ascii: "\\")), let colon = rawValue.utf8.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        let isSecure = rawValue.utf8[..<colon].count == "https".utf8.count
        // WebpageURL has checked the scheme and both slashes.
        let authority = rawValue.utf8[colon...].dropFirst(3).prefix { !"/?#".utf8.contains($0) }
        let parts = authority.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = parts.first, parts.count == 1 || parts[1].elementsEqual((isSecure ? "443" : "80").utf8),
            name.allSatisfy({ $0 < 0x80 })
        else { return nil }
        let lower = String(decoding: name, as: UTF8.self).lowercased()
        return try? SiteHost(lower.hasSuffix(".") ? String(lower.dropLast()) : lower)
    }
}
