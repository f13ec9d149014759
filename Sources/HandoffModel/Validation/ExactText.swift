extension Hasher {
    /// Adds the UTF-8 bytes of a string, and their number, without regard to Unicode equivalence.
    mutating func combineExactly(_ text: String) {
        combine(text.utf8.count)
        for byte in text.utf8 { combine(byte) }
    }
}

extension String {
    /// Whether the string contains U+0000, which D-Bus strings must not (D-Bus specification, "Marshaling").
    var holdsNUL: Bool { utf8.contains(0) }
}
