private import HandoffClient

extension String {
    /// The most characters of a text of another device or program.
    private static let longest = 60
    /// The most bytes of one character as people see it: more than any emoji has, fewer than a pile of accents.
    private static let largestCharacter = 64

    /// The text of another device or program, to be shown in one line between words of ours.
    ///
    /// Control characters and those that change the writing direction become a dot, and so do characters of more than 64
    /// bytes. It has at most 60 characters; the last one is `…` when some are missing. Where it is written from right to
    /// left, it is isolated, so that it does not reorder the words around it (Unicode Standard Annex 9, "Isolates").
    package var shown: String {
        let line = inOneLine(largestCharacter: Self.largestCharacter)
        let text = line.count > Self.longest ? String(line.prefix(Self.longest - 1)) + "…" : line
        return text.unicodeScalars.contains(where: \.isRightToLeft) ? text.isolated : text
    }

    /// A sentence of the daemon, to be shown by itself: as ``shown``, without its limit.
    package var shownSentence: String { inOneLine(" ") }

    /// The text in lines of at most `width` characters, broken between words; a longer word has a line of its own.
    package func lines(width: Int) -> [String] {
        split(separator: " ").reduce(into: [String]()) { lines, word in
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(String(word))
            }
        }
    }
}

extension Unicode.Scalar {
    /// The blocks whose letters are written from right to left (Unicode Standard, "Blocks").
    private static let rightToLeft: [ClosedRange<UInt32>] = [
        0x590...0x8FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF,
    ]

    fileprivate var isRightToLeft: Bool {
        Self.rightToLeft.contains { $0.contains(value) }
    }
}
