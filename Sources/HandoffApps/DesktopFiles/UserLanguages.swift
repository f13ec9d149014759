/// The languages in which the user reads texts.
package struct UserLanguages: Hashable, Sendable {
    /// The locales whose texts are for the user, the best one first, such as `de_AT.UTF-8`, `de_AT`, `de.UTF-8`, `de` and `C`.
    package let locales: [String]

    /// Reads the variables `LANGUAGE`, `LC_ALL`, `LC_MESSAGES` and `LANG` (gettext, "Setting the POSIX Locale").
    package init(_ environment: [String: String]) {
        let names = ["LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"]
        let chosen = names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        let variants = chosen.split(separator: ":").flatMap { Self.variants(of: $0) }
        locales = variants.contains("C") ? variants : variants + ["C"]
    }

    /// A locale, and those that have less of it: `language_TERRITORY.encoding@modifier`.
    private static func variants(of locale: Substring) -> [String] {
        let (beforeModifier, modifier) = halves(of: locale, at: "@")
        let (beforeEncoding, encoding) = halves(of: beforeModifier, at: ".")
        let (language, territory) = halves(of: beforeEncoding, at: "_")
        var variants: [String] = []
        for modifier in parts(modifier) {
            for territory in parts(territory) {
                for encoding in parts(encoding) { variants.append("\(language)\(territory)\(encoding)\(modifier)") }
            }
        }
        return variants
    }

    /// A part and its absence, or the absence alone.
    private static func parts(_ part: Substring) -> [Substring] { part.isEmpty ? [""] : [part, ""] }

    private static func halves(of text: Substring, at mark: Character) -> (Substring, Substring) {
        let place = text.firstIndex(of: mark) ?? text.endIndex
        return (text[..<place], text[place...])
    }
}
