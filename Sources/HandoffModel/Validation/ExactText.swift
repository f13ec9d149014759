extension Hasher {
    /// Adds the UTF-8 bytes of a string, and their number, without regard to Unicode equivalence.
    mutating func combineExactly(_ text: String) {
        combine(text.utf8.count)
        for byte in text.utf8 { combine(byte) }
    }
}

extension String? {
    /// Whether both are the same bytes of UTF-8, or absent: Swift regards two Unicode spellings of one text as equal.
    package func isExactly(_ other: String?) -> Bool {
        switch (self, other) {
        case (let text?, let other?): text.utf8.elementsEqual(other.utf8)
        case (nil, nil): true
        default: false
        }
    }
}

extension Set<String> {
    /// Whether both have the same elements, byte for byte.
    package func isExactly(_ other: Set<String>) -> Bool {
        self == other
            && allSatisfy { text in other.firstIndex(of: text).map { other[$0].utf8.elementsEqual(text.utf8) } ?? false
            }
    }
}

extension String {
    /// Whether the string contains U+0000, which D-Bus strings must not (D-Bus specification, "Marshaling").
    var holdsNUL: Bool { utf8.contains(0) }
}
