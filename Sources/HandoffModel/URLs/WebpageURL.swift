/// The URL of a web page that continues an activity where no app does.
///
/// It is an absolute http or https URL with a host, at most 2048 bytes, in the grammar of Docs/Protocol.md ("Web page
/// addresses"): no white space, no invisible characters, a well-formed authority. It is stored unchanged.
package struct WebpageURL: Hashable, Sendable, CustomStringConvertible {
    /// The URL as it was given.
    package let rawValue: String

    /// Parses an absolute http or https URL.
    ///
    /// - Throws: ``ModelError/Code/invalidWebpageURL`` for any other scheme, a missing or malformed host or port, white
    ///   space, control or formatting characters, and for more than ``ActivityLimits/webpageURLBytes`` bytes.
    package init(_ string: String) throws(ModelError) {
        guard string.utf8.count <= ActivityLimits.webpageURLBytes else {
            throw ModelError(
                .invalidWebpageURL,
                "A web page address has at most \(ActivityLimits.webpageURLBytes) bytes; this one has \(string.utf8.count)."
            )
        }
        guard string.unicodeScalars.allSatisfy(\.isVisibleInAddress) else {
            throw ModelError(
                .invalidWebpageURL,
                "A web page address must not contain white space or control characters: escape them."
            )
        }
        guard let rest = Self.remainderAfterScheme(string) else {
            throw ModelError(.invalidWebpageURL, "The web page of an activity must be an http or https address.")
        }
        guard WebAuthority.isWellFormed(rest.prefix { !WebAuthority.ends.contains($0) }) else {
            throw ModelError(
                .invalidWebpageURL,
                "The web page address names no host, or not in the form https://host/path or https://host:port/path."
            )
        }
        rawValue = string
    }

    package var description: String { rawValue }

    /// The URL as a command or the portal gets it: the characters after the host that RFC 3986 does not allow are escaped.
    ///
    /// Those that it allows stay, also `$`, `(`, `)`, `;`, `&`, `'` and `*`: a program that hands the URL to a shell has to
    /// quote it, as xdg-open does. A backslash before the query is a slash, as browsers read it (WHATWG URL, "path state"). Letters beyond ASCII stay.
    package var escaped: String {
        guard let rest = Self.remainderAfterScheme(rawValue) else { return rawValue }
        let tail = rest.drop { !WebAuthority.ends.contains($0) }
        var result = String(rawValue.unicodeScalars[..<tail.startIndex])
        var isInPath = true
        for scalar in tail {
            isInPath = isInPath && scalar != "?" && scalar != "#"
            if isInPath, scalar == "\\" {
                result.append("/")
            } else if scalar.isASCII, Self.escapedCharacters.contains(scalar) {
                result.append("%" + String(scalar.value, radix: 16, uppercase: true))
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// The visible characters of ASCII that are neither `reserved` nor `unreserved` nor `%` in RFC 3986.
    private static let escapedCharacters = Set("\"<>\\^`{|}".unicodeScalars)

    /// Compares bytes: two Unicode spellings of one accented letter are two URLs.
    package static func == (left: Self, right: Self) -> Bool { left.rawValue.utf8.elementsEqual(right.rawValue.utf8) }

    package func hash(into hasher: inout Hasher) {
        hasher.combineExactly(rawValue)
    }

    /// Returns the text after `http://` or `https://`; `nil` when it begins with neither.
    private static func remainderAfterScheme(_ string: String) -> Substring.UnicodeScalarView? {
        for scheme in ["http://", "https://"] {
            let head = string.utf8.prefix(scheme.utf8.count)
            // Schemes are compared without regard to case (RFC 3986 section 3.1).
            let lowered = head.map { $0.isASCIILetter ? $0 | 0x20 : $0 }
            // The head is ASCII, so it has as many scalars as bytes.
            if lowered.elementsEqual(scheme.utf8) { return string.unicodeScalars.dropFirst(head.count) }
        }
        return nil
    }
}

/// The part of a web page's address that names the host (RFC 3986, section 3.2; RFC 3987 for what is not ASCII).
private enum WebAuthority {
    /// What ends an authority; browsers read a backslash like a slash (WHATWG URL, "relative slash state").
    static let ends: Set<Unicode.Scalar> = ["/", "?", "#", "\\"]

    /// Whether the text is a host after any user name and `@`, and before any port.
    static func isWellFormed(_ authority: Substring.UnicodeScalarView) -> Bool {
        let parts = authority.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        guard let host = parts.last else { return false }
        return (parts.count == 1 || isName(parts[0], besides: ":")) && isHostWithPort(host)
    }

    private static func isHostWithPort(_ text: Substring.UnicodeScalarView) -> Bool {
        guard text.first == "[" else {
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            return !parts[0].isEmpty && isName(parts[0]) && (parts.count == 1 || isPort(parts[1]))
        }
        let address = text.dropFirst().prefix { $0 != "]" }
        let rest = text.dropFirst(1 + address.count + 1)
        guard address.endIndex < text.endIndex, isAddress(address) else { return false }
        return rest.isEmpty || (rest.first == ":" && isPort(rest.dropFirst()))
    }

    /// Whether the text looks like an IPv6 address; only a resolver knows the whole rule.
    private static func isAddress(_ text: Substring.UnicodeScalarView) -> Bool {
        text.count { $0 == ":" } >= 2
            && text.allSatisfy { $0.properties.isASCIIHexDigit || $0 == ":" || $0 == "." }
    }

    private static func isPort(_ text: Substring.UnicodeScalarView) -> Bool {
        text.allSatisfy { ("0"..."9").contains($0) } && (text.isEmpty || UInt16(String(text)) != nil)
    }

    private static func isName(_ text: Substring.UnicodeScalarView, besides extra: Unicode.Scalar? = nil) -> Bool {
        var rest = text
        while let scalar = rest.popFirst() {
            if scalar == "%" {
                guard rest.count >= 2, rest.prefix(2).allSatisfy(\.properties.isASCIIHexDigit) else { return false }
                rest = rest.dropFirst(2)
            } else if scalar.isASCII {
                guard scalar == extra || plain.contains(scalar) else { return false }
            } else if scalar.isJoiner {
                return false
            }
        }
        return true
    }

    /// `unreserved` and `sub-delims` of RFC 3986.
    private static let plain = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=".unicodeScalars
    )
}

extension Unicode.Scalar {
    /// Whether this scalar may stand in the address of a web page.
    fileprivate var isVisibleInAddress: Bool { !isBlankInName && !isRemovedFromNames }
}
