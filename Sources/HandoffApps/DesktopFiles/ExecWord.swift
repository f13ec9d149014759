/// A word of a command line of a desktop file: texts, and field codes between them.
struct ExecWord: Hashable, Sendable {
    private enum Quotes: Hashable, Sendable {
        case none, single, double
    }

    private enum Piece: Hashable, Sendable {
        case text(String)
        case code(Unicode.Scalar, Quotes)
    }

    private var pieces: [Piece] = []
    /// Whether it is a word even when it is empty.
    private var isQuoted = false

    /// Its text, without the field codes.
    var text: String {
        pieces.reduce(into: "") { text, piece in if case .text(let part) = piece { text += part } }
    }

    /// Whether a part of it depends on what is opened, or on the app.
    var hasCodes: Bool {
        pieces.contains { if case .code = $0 { true } else { false } }
    }

    /// Whether it has that field code.
    func has(_ code: Unicode.Scalar) -> Bool {
        pieces.contains { if case .code(code, _) = $0 { true } else { false } }
    }

    /// The arguments that it becomes: mostly one, and none if it consists of codes that stand for nothing.
    ///
    /// - Parameter values: what a code stands for: nothing, a text, or several that are arguments of their own.
    func arguments(_ values: (Unicode.Scalar) -> [String]) -> [String] {
        var arguments: [String] = []
        var current: String? = isQuoted ? "" : nil
        for piece in pieces {
            switch piece {
            case .text(let text): current = (current ?? "") + text
            case .code(let code, let quotes):
                let found = values(code)
                guard let first = found.first else { continue }
                if quotes == .none {
                    current = (current ?? "") + first
                    for next in found.dropFirst() {
                        arguments.append(current ?? "")
                        current = next
                    }
                } else {
                    current = (current ?? "") + found.map { quoted($0, in: quotes) }.joined(separator: " ")
                }
            }
        }
        return arguments + (current.map { [$0] } ?? [])
    }

    /// A value for a place in quotes.
    ///
    /// Where the quotes are around a script, as in `sh -c "view %f"`, desktops quote it once more for the shell that reads
    /// the script. Where they are just around the code or an option, that would name another file.
    private func quoted(_ value: String, in quotes: Quotes) -> String {
        let text = text
        let isScript = pieces.count > 1 && !(text.hasPrefix("-") && !text.contains(where: \.isWhitespace))
        let isHarmless = quotes == .single && value.utf8.allSatisfy(Self.isHarmless)
        guard isScript, !isHarmless else { return value }
        return "'" + value.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    }

    /// Whether no shell gives a meaning to a character.
    private static func isHarmless(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "-"), UInt8(ascii: ":"), UInt8(ascii: "+"), UInt8(ascii: ","), UInt8(ascii: "@"):
            true
        default: false
        }
    }
}

extension ExecWord {
    /// The words of a command line.
    ///
    /// - Throws: an error if a quote is not closed, or nothing follows a `\`.
    static func all(in text: String) throws(ExecLine.SyntaxError) -> [ExecWord] {
        var reader = Reader(rest: text.unicodeScalars[...])
        try reader.read()
        return reader.words
    }

    private struct Reader {
        var rest: Substring.UnicodeScalarView
        var words: [ExecWord] = []
        private var word: ExecWord?
        /// Whether the character before was a space, after which `#` begins a comment.
        private var isAfterSpace = true

        init(rest: Substring.UnicodeScalarView) { self.rest = rest }

        mutating func read() throws(ExecLine.SyntaxError) {
            while let scalar = rest.popFirst() {
                defer { isAfterSpace = scalar == " " || scalar == "\n" }
                switch scalar {
                case " ", "\t", "\n": finish()
                case "#" where isAfterSpace: rest = rest.drop { $0 != "\n" }
                case "'": try readQuoted(by: scalar, .single)
                case "\"": try readQuoted(by: scalar, .double)
                case "\\":
                    guard let next = rest.popFirst() else {
                        throw Self.error("nothing follows the last \\; remove it.")
                    }
                    if next != "\n" { next == "%" ? readCode(.none) : append(next) }
                case "%": readCode(.none)
                default: append(scalar)
                }
            }
            finish()
        }

        private mutating func readQuoted(by mark: Unicode.Scalar, _ quotes: Quotes) throws(ExecLine.SyntaxError) {
            word = word ?? ExecWord()
            word?.isQuoted = true
            while let scalar = rest.popFirst() {
                switch scalar {
                case mark: return
                case "%": readCode(quotes)
                case "\\" where quotes == .double:
                    let isEscape = rest.first.map { ["\"", "\\", "`", "$", "\n"].contains($0) } ?? false
                    append(isEscape ? rest.removeFirst() : scalar)
                default: append(scalar)
                }
            }
            throw Self.error("a quote is not closed; add the closing one.")
        }

        private mutating func readCode(_ quotes: Quotes) {
            guard let code = rest.popFirst() else { return append("%") }
            guard code != "%" else { return append("%") }
            word = word ?? ExecWord()
            word?.pieces.append(.code(code, quotes))
        }

        private mutating func append(_ scalar: Unicode.Scalar) {
            word = word ?? ExecWord()
            if case .text(let text) = word?.pieces.last {
                word?.pieces.removeLast()
                word?.pieces.append(.text(text + String(Character(scalar))))
            } else {
                word?.pieces.append(.text(String(Character(scalar))))
            }
        }

        private mutating func finish() {
            if let word { words.append(word) }
            word = nil
        }

        private static func error(_ text: String) -> ExecLine.SyntaxError { ExecLine.SyntaxError(description: text) }
    }
}
