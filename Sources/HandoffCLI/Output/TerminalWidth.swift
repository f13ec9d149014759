private import CLinux
private import Glibc

extension String {
    /// The number of cells that the text takes on a terminal.
    var cellCount: Int { reduce(0) { $0 + $1.cellCount } }

    /// The text with line breaks in place of spaces, so that no line takes more cells than `limit`; a word that is
    /// longer stays whole.
    ///
    /// - Parameters:
    ///   - limit: the number of cells.
    ///   - indent: the number of spaces before each line that was broken off.
    func wrapped(toCells limit: Int, indent: Int = 0) -> String {
        let margin = String(repeating: " ", count: indent)
        return split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.split(separator: " ", omittingEmptySubsequences: false).reduce(into: [String]()) { lines, word in
                guard let last = lines.last, last.cellCount + 1 + String(word).cellCount <= limit else {
                    return lines.append(lines.isEmpty ? String(word) : margin + word)
                }
                lines[lines.count - 1] = last + " " + word
            }.joined(separator: "\n")
        }.joined(separator: "\n")
    }

    /// The text in at most `limit` cells: what does not fit is replaced by an ellipsis.
    func truncated(toCells limit: Int) -> String {
        guard cellCount > limit else { return self }
        var shown = ""
        var left = limit - 1
        for character in self {
            left -= character.cellCount
            guard left >= 0 else { break }
            shown.append(character)
        }
        return limit > 0 ? shown + "…" : ""
    }
}

extension Character {
    /// The number of cells that the character takes on a terminal: 0 for one that only modifies others, 2 for a wide
    /// one, such as an ideograph or an emoji, otherwise 1.
    fileprivate var cellCount: Int {
        guard let first = unicodeScalars.first else { return 0 }
        // Variation selector 16: a character with a plain and a coloured form is shown as an emoji (UTS #51).
        if first.isWide || unicodeScalars.contains("\u{FE0F}") { return 2 }
        return first.isZeroWidth ? 0 : 1
    }
}

extension Unicode.Scalar {
    fileprivate var isZeroWidth: Bool {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: true
        default: false
        }
    }

    /// Whether its East Asian Width is Wide or Fullwidth (UAX #11), as far as assigned scripts go, or it is an emoji.
    fileprivate var isWide: Bool {
        properties.isEmojiPresentation || Self.wide.contains { $0.contains(value) }
    }

    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F,  // the initial consonants of Hangul
        0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,  // CJK and Kana
        0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,  // Yi, Hangul
        0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F,  // CJK compatibility, vertical and small forms
        0xFF01...0xFF60, 0xFFE0...0xFFE6,  // fullwidth forms
        0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF,  // Tangut, Khitan, further Kana
        0x20000...0x3FFFD,  // the ideographs of planes 2 and 3
    ]
}

/// The widths of terminals, in cells.
enum TerminalWidth {
    /// That of standard output; nil when it is no terminal, or its width is unknown.
    static var ofOutput: Int? { width(of: STDOUT_FILENO) }

    /// The same for standard error.
    static var ofErrors: Int? { width(of: STDERR_FILENO) }

    private static func width(of descriptor: CInt) -> Int? {
        let columns = Int(handoff_terminal_columns(descriptor))
        return columns > 0 ? columns : nil
    }
}
