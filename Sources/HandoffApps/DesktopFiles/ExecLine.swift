package import HandoffModel

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
    package var takesURL: Bool { has("%u") || has("%U") }

    /// Whether the command line has a place for a document, by its address or by its path.
    package var takesDocument: Bool { takesURL || has("%f") || has("%F") }

    /// The program and its arguments.
    ///
    /// All other field codes become nothing; an address or a path is one argument, whatever is in it.
    ///
    /// - Parameters:
    ///   - url: what stands for `%u` and `%U`.
    ///   - path: what stands for `%f` and `%F`.
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

    /// The program and its arguments to open a document; a command line without a place for it gets the path at its end,
    /// as desktops do it.
    package func arguments(opening document: FileURL) -> [String] {
        let path = String(decoding: document.path, as: UTF8.self)
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
