import HandoffModel

/// Texts of other devices and programs, which may be made to deceive.
extension String {
    /// The text as it can be shown in one line, unable to move a cursor or to change the direction of the text around it.
    ///
    /// - Parameters:
    ///   - replacement: what stands for each character that breaks the line, controls a terminal, or changes the writing
    ///     direction.
    ///   - largest: the most bytes of one character as people see it; a larger one is replaced, too.
    package func inOneLine(_ replacement: Character = "·", largestCharacter largest: Int = .max) -> String {
        String(
            map { character in
                let isHarmless = character.unicodeScalars.allSatisfy(\.isHarmlessInLine)
                return isHarmless && character.utf8.count <= largest ? character : replacement
            }
        )
    }

    /// A text in one line for the middle of a sentence, which keeps its own direction.
    ///
    /// The marks are FIRST STRONG ISOLATE and POP DIRECTIONAL ISOLATE (Unicode Standard Annex #9); ``inOneLine`` leaves none
    /// of their kind in the text.
    package var isolated: String { "\u{2068}\(self)\u{2069}" }
}
