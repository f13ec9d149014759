package import HandoffModel

/// A command line of a desktop file (`Exec`), parsed by the rules of the Desktop Entry Specification.
package struct ExecLine: Hashable, Sendable {
    /// The error in an invalid command line.
    package struct SyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
        package let description: String
    }

    /// The words, with field codes not expanded.
    private let words: [Word]

    private struct Word: Hashable, Sendable {
        var text = ""
        var isQuoted = false
    }

    /// Parses a command line.
    ///
    /// - Throws: ``SyntaxError`` for an unclosed quote, for a line without a program, and for a field code in the
    ///   program.
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
        guard !isInQuotes else { throw SyntaxError(description: "a quote is not closed; add the closing one.") }
        if let word { words.append(word) }
        guard let program = words.first, !program.text.isEmpty else {
            throw SyntaxError(description: "the program is missing; name one first.")
        }
        guard !program.text.contains("%") else {
            throw SyntaxError(description: "the program contains a field code; remove it.")
        }
        self.words = words
    }

    /// The name or path of the program.
    package var program: String { words[0].text }

    /// Whether the command line has a field code for the URL of a web page.
    package var takesURL: Bool { has("%u") || has("%U") }

    /// Whether the command line has a field code for a document, as URL or path.
    package var takesDocument: Bool { takesURL || has("%f") || has("%F") }

    /// The program and its arguments.
    ///
    /// All other field codes are removed; a URL or a path is always one argument, whatever it contains.
    ///
    /// - Parameters:
    ///   - url: the value of `%u` and `%U`.
    ///   - path: the value of `%f` and `%F`.
    package func arguments(url: String? = nil, path: String? = nil) -> [String] {
        words.compactMap { word in
            guard !word.isQuoted, word.text.count == 2, word.text.first == "%" else {
                return Self.withoutFieldCodes(word.text)
            }
            return switch word.text {
            case "%u", "%U": url
            case "%f", "%F": path
            case "%%": "%"
            default: nil
            }
        }
    }

    /// The program and its arguments to open a document; without a field code for it, the path is appended, as desktops
    /// do.
    ///
    /// Nil when the program takes only a path, and the path is not valid UTF-8: repaired, it would name another file.
    package func arguments(opening document: FileURL) -> [String]? {
        guard let path = String(validating: document.path, as: UTF8.self) else {
            return takesURL ? arguments(url: document.description) : nil
        }
        let arguments = arguments(url: document.description, path: path)
        return takesDocument ? arguments : arguments + [path]
    }

    private func has(_ code: String) -> Bool {
        words.contains { !$0.isQuoted && $0.text == code }
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
