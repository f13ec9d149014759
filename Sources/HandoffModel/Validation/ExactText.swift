extension Hasher {
    /// Feeds the UTF-8 bytes of a text, and their number, without regard to Unicode equivalence.
    mutating func combineExactly(_ text: String) {
        combine(text.utf8.count)
        for byte in text.utf8 { combine(byte) }
    }
}

extension String {
    /// Whether the text holds U+0000, which no string on D-Bus may (D-Bus specification, "Marshaling").
    var holdsNUL: Bool { utf8.contains(0) }
}
