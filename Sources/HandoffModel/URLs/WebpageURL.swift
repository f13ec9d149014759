/// The URL of a web page that continues an activity where no app does.
///
/// It is an absolute http or https URL with a host, printable ASCII or UTF-8 without white space, at most 2048 bytes.
/// It is stored unchanged.
package struct WebpageURL: Hashable, Sendable, CustomStringConvertible {
    /// The URL as it was given.
    package let rawValue: String

    /// Parses an absolute http or https URL.
    ///
    /// - Throws: ``ModelError/Code/invalidWebpageURL`` for any other scheme, a missing host, white space or control
    ///   characters, and for more than ``ActivityLimits/webpageURLBytes`` bytes.
    package init(_ string: String) throws(ModelError) {
        guard string.utf8.count <= ActivityLimits.webpageURLBytes else {
            throw ModelError(
                .invalidWebpageURL,
                "A web page address has at most \(ActivityLimits.webpageURLBytes) bytes; this one has \(string.utf8.count)."
            )
        }
        guard !string.unicodeScalars.contains(where: Self.isBlankOrControl) else {
            throw ModelError(
                .invalidWebpageURL,
                "A web page address must not contain white space or control characters: escape them."
            )
        }
        guard let rest = Self.remainderAfterScheme(string) else {
            throw ModelError(.invalidWebpageURL, "The web page of an activity must be an http or https address.")
        }
        guard Self.hasHost(rest) else {
            throw ModelError(.invalidWebpageURL, "The web page address names no host: write https://host/path.")
        }
        rawValue = string
    }

    package var description: String { rawValue }

    /// Compares bytes: two Unicode spellings of one accented letter are two URLs.
    package static func == (left: Self, right: Self) -> Bool { left.rawValue.utf8.elementsEqual(right.rawValue.utf8) }

    package func hash(into hasher: inout Hasher) {
        hasher.combineExactly(rawValue)
    }

    private static func isBlankOrControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace || scalar.properties.generalCategory == .control
    }

    /// Returns the text after `http://` or `https://`; `nil` when it begins with neither.
    private static func remainderAfterScheme(_ string: String) -> Substring.UTF8View? {
        for scheme in ["http://", "https://"] {
            let head = string.utf8.prefix(scheme.utf8.count)
            // Schemes are compared without regard to case (RFC 3986 section 3.1).
            let lowered = head.map { $0.isASCIILetter ? $0 | 0x20 : $0 }
            if lowered.elementsEqual(scheme.utf8) { return string.utf8.dropFirst(head.count) }
        }
        return nil
    }

    /// Whether the authority has a host after any user name and before any port (RFC 3986 section 3.2).
    private static func hasHost(_ rest: Substring.UTF8View) -> Bool {
        let ends = Array("/?#\\".utf8)
        let authority = rest.prefix { !ends.contains($0) }
        let host =
            authority.lastIndex(of: UInt8(ascii: "@")).map { authority[authority.index(after: $0)...] } ?? authority
        guard let first = host.first else { return false }
        guard first == UInt8(ascii: "[") else { return first != UInt8(ascii: ":") }
        return host.dropFirst().first != UInt8(ascii: "]") && host.contains(UInt8(ascii: "]"))
    }
}
