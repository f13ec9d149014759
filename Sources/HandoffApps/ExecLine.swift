/// A command line of a desktop file (`Exec`), taken apart by the rules of the Desktop Entry Specification.
package struct ExecLine: Hashable, Sendable {
    /// Why a command line cannot be used.
    package struct SyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
        package let description: String
    }

    /// The words, still with their field codes.
    private let words: [Word]

    private struct Word: Hashable, Sendable {
        var text = ""
        var isQuoted = false
    }

    /// Takes a command line apart.
    ///
    /// - Throws: ``SyntaxError`` for a quote that is not closed, for a line without a program, and for a field code in the
    ///   place of one.
    package init(_ text: String) throws(SyntaxError) {
        var words: [Word] = []
        var word: Word?
        var isInQuotes = false
        var isEscaped = false
        for character in text {
            if isInQuotes {
                if isEscaped {
                    word?.text.append(character)
                    isEscaped = false
                } else if character == "\\" {
                    isEscaped = true
                } else if character == "\"" {
                    isInQuotes = false
                } else {
                    word?.text.append(character)
                }
            } else if character == "\"" {
                isInQuotes = true
                word = word ?? Word()
                word?.isQuoted = true
            } else if character == " " || character == "\t" {
                if let finished = word { words.append(finished) }
                word = nil
            } else {
                word = word ?? Word()
                word?.text.append(character)
            }
        }
        guard !isInQuotes else { throw SyntaxError(description: "a quote is not closed.") }
        if let word { words.append(word) }
        guard let program = words.first, !program.text.isEmpty else {
            throw SyntaxError(description: "it names no program.")
        }
        guard !program.text.contains("%") else {
            throw SyntaxError(description: "its program is or has a field code.")
        }
        self.words = words
    }

    /// The program.
    package var program: String { words[0].text }

    /// Whether the command line has a place for the address of a web page.
    package var takesURL: Bool {
        words.contains { $0.text == "%u" || $0.text == "%U" }
    }

    /// The program and its arguments.
    ///
    /// Field codes for files and all others than those of an address become nothing; an address is one argument, whatever
    /// is in it.
    ///
    /// - Parameter url: what stands for `%u` and `%U`.
    package func arguments(url: String? = nil) -> [String] {
        words.compactMap { word in
            if !word.isQuoted, word.text == "%u" || word.text == "%U" { return url }
            if !word.isQuoted, word.text.count == 2, word.text.first == "%", word.text != "%%" { return nil }
            return Self.withoutFieldCodes(word.text)
        }
    }

    private static func withoutFieldCodes(_ text: String) -> String {
        var result = ""
        var isCode = false
        for character in text {
            if isCode {
                if character == "%" { result.append("%") }
                isCode = false
            } else if character == "%" {
                isCode = true
            } else {
                result.append(character)
            }
        }
        return result
    }
}
