import CLinux

/// The texts of the window in the language of the process (gettext(3)); the English ones stand in the code.
package enum Translation {
    /// The name of the catalogues.
    package static let domain = "handoff"

    /// Makes the catalogues in a directory known, which has `de/LC_MESSAGES/handoff.mo` and the like.
    package static func useCatalogues(in directory: String) {
        _ = bindtextdomain(domain, directory)
        _ = bind_textdomain_codeset(domain, "UTF-8")
    }
}

/// Returns the translation of a text; the English text where there is none.
///
/// - Parameters:
///   - text: the English text; `{name}` stands for the value of that name.
///   - values: what is put in, as it is.
package func translated(_ text: String, _ values: KeyValuePairs<String, String> = [:]) -> String {
    // It returns its argument where there is no translation: the argument has to live until the result is read.
    filled(text.withCString { String(cString: dgettext(Translation.domain, $0)) }, values)
}

/// Returns the translation of a text about a number of things, in the form that the language has for that number.
///
/// - Parameters:
///   - one: the English text for one.
///   - many: the English text for any other number.
///   - number: what `{count}` stands for.
package func counted(_ one: String, _ many: String, _ number: Int) -> String {
    let text = one.withCString { one in
        many.withCString { many in String(cString: dngettext(Translation.domain, one, many, UInt(number))) }
    }
    return filled(text, ["count": "\(number)"])
}

private func filled(_ text: String, _ values: KeyValuePairs<String, String>) -> String {
    guard !values.isEmpty else { return text }
    // In one pass, so that a value that looks like a place is not filled in again.
    var result = ""
    var rest = text[...]
    while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
        let name = rest[rest.index(after: open)..<close]
        result += rest[..<open]
        result += values.first { $0.key == name }?.value ?? String(rest[open...close])
        rest = rest[rest.index(after: close)...]
    }
    return result + rest
}
