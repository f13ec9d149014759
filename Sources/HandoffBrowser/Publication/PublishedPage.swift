package import HandoffModel

/// A page that may be published: http or https, with a host, and without a user name or a password in its address.
///
/// Everything else is never published: `file:`, `about:`, `chrome:`, `moz-extension:`, `view-source:`, `data:`, and
/// addresses that are longer than an activity may have (`ActivityLimits.webpageURLBytes`). The extension does not send
/// such pages; this type decides it again.
package struct PublishedPage: Hashable, Sendable {
    package let url: WebpageURL
    /// The title for people, at most ``maximumTitleBytes``; empty if the page has none.
    package let title: String

    /// The address as it was given.
    package var address: String { url.rawValue }

    /// The largest length of a title, in bytes of UTF-8; a longer one is cut.
    package static let maximumTitleBytes = 256

    /// - Returns: nil for a page that is never published.
    package init?(url: String, title: String) {
        guard let page = try? WebpageURL(url), !Self.namesUser(url) else { return nil }
        self.url = page
        self.title = Self.cleaned(title)
    }

    /// Whether the address has a user name or a password before its host.
    private static func namesUser(_ url: String) -> Bool {
        guard let scheme = url.firstRange(of: "://") else { return false }
        return url[scheme.upperBound...].unicodeScalars.prefix { !"/?#\\".unicodeScalars.contains($0) }.contains("@")
    }

    /// The title on one line, without characters that change how text is shown, and cut at a character.
    private static func cleaned(_ title: String) -> String {
        var cleaned = ""
        var bytes = 0
        // No more is looked at than can be kept: a title may be as long as a message.
        for character in title.prefix(maximumTitleBytes) {
            let shown = character.unicodeScalars.contains(where: \.changesDisplay) ? " " : String(character)
            bytes += shown.utf8.count
            guard bytes <= maximumTitleBytes else { break }
            cleaned += shown
        }
        return cleaned
    }
}

extension Unicode.Scalar {
    /// Whether it is a control character, a line break, or changes the direction of text.
    fileprivate var changesDisplay: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        // Marks, embeddings, overrides and isolates of direction (Unicode Standard Annex 9, section 2).
        case .format: (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value)
        default: false
        }
    }
}
