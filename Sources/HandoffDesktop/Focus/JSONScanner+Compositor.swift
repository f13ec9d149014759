import HandoffModel

extension JSONScanner {
    /// The deepest nesting of objects and lists in what a compositor tells: a window is two levels deeper than the
    /// container around it.
    private static let deepestOfCompositor = 128

    /// Reads what a compositor tells: it holds texts of apps, such as the titles of their windows, and not every
    /// compositor makes valid JSON of each of them.
    init(ofCompositor text: [UInt8]) {
        self.init(text, .structure, maximumDepth: Self.deepestOfCompositor)
    }
}
