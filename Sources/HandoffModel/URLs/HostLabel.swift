/// A label of a host name in its one spelling: ASCII in lower case.
///
/// Browsers map a label beyond ASCII by a table of Unicode (UTS 46) before they encode it: full-width letters become plain
/// ones, some characters vanish, and letters with accents are composed. This project has no such table; it knows the labels
/// that the table leaves as they are but for upper case, and refuses all others.
enum HostLabel {
    /// The longest label in bytes (RFC 1035, section 2.3.4).
    private static let maximumBytes = 63

    /// Returns the one spelling of a label; nil for text that is no label, or is not known to be one.
    static func canonical(_ label: Substring) -> String? {
        guard let mapped = mapped(label) else { return nil }
        let isASCII = mapped.utf8.allSatisfy { $0 < 0x80 }
        let ascii = isASCII ? mapped : Punycode.encode(mapped).map { "xn--" + $0 }
        guard let ascii, (1...maximumBytes).contains(ascii.utf8.count), !hidesASCII(ascii),
            ascii.utf8.allSatisfy({ $0.isASCIIWordByte || $0 == UInt8(ascii: "-") })
        else { return nil }
        return ascii
    }

    /// Whether a label in Punycode encodes nothing beyond ASCII: some programs take `xn--localhost-` for `localhost`.
    private static func hidesASCII(_ label: String) -> Bool {
        label.hasPrefix("xn--") && label.hasSuffix("-")
    }

    /// Returns a label as browsers map it, if that is known.
    ///
    /// A character of several scalars may be composed to another one (Unicode Standard Annex 15), a single one that
    /// NFKC_Casefold leaves as it is may not.
    private static func mapped(_ label: Substring) -> String? {
        var result = String.UnicodeScalarView()
        for character in label {
            let scalars = character.unicodeScalars
            guard let scalar = scalars.first, scalars.count == 1, let mapped = mapped(scalar) else { return nil }
            result.append(mapped)
        }
        return String(result)
    }

    private static func mapped(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        // Kept by browsers of today, although they are not what casefolding leaves (UTS 46, "deviation characters").
        if scalar == "ß" || scalar == "ς" { return scalar }
        let lower = scalar.properties.lowercaseMapping.unicodeScalars
        guard let mapped = lower.first, lower.count == 1 else { return nil }
        if mapped.isASCII { return mapped }
        return mapped.properties.changesWhenNFKCCaseFolded || !letters.contains(mapped.properties.generalCategory)
            ? nil : mapped
    }

    /// The categories of what names are written with.
    private static let letters: Set<Unicode.GeneralCategory> = [
        .lowercaseLetter, .otherLetter, .modifierLetter, .decimalNumber,
    ]
}
