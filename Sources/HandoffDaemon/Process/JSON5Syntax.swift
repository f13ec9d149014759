/// The syntax of JSON5, as far as it takes to tell a person where a file breaks it: Foundation's error does not say.
struct JSON5Syntax {
    private var rest: Substring
    private var line = 1
    /// How many objects and lists are open.
    private var depth = 0
    /// The keys of the outermost object, as they are written, in their order.
    private var keys: [(name: String, line: Int)] = []

    private struct Fault: Error {
        let line: Int
        let message: String
    }

    private init(_ text: String) {
        rest = text[...]
    }

    /// Returns the line and the kind of the first mistake, as a sentence; nil if there is none.
    static func firstFault(in text: String) -> String? {
        var syntax = JSON5Syntax(text)
        do throws(Fault) {
            try syntax.readDocument()
            return nil
        } catch {
            return "line \(error.line): \(error.message)."
        }
    }

    /// Returns the keys of the outermost object with their lines, in their order, as far as the text has no mistake.
    static func settings(in text: String) -> [(name: String, line: Int)] {
        var syntax = JSON5Syntax(text)
        try? syntax.readDocument()
        return syntax.keys
    }

    private mutating func readDocument() throws(Fault) {
        try readValue()
        try skipBlanks()
        guard rest.isEmpty else { throw fault("there is text after the end of the settings") }
    }

    private func fault(_ message: String) -> Fault { Fault(line: line, message: message) }

    private mutating func take() -> Character? {
        guard let character = rest.popFirst() else { return nil }
        if character.isNewline { line += 1 }
        return character
    }

    private mutating func skipBlanks() throws(Fault) {
        while let next = rest.first {
            if next.isWhitespace {
                _ = take()
            } else if rest.hasPrefix("//") {
                while let character = rest.first, !character.isNewline { _ = take() }
            } else if rest.hasPrefix("/*") {
                let start = line
                while !rest.hasPrefix("*/") {
                    guard take() != nil else { throw Fault(line: start, message: "the comment does not end") }
                }
                rest.removeFirst(2)
            } else {
                return
            }
        }
    }

    private mutating func readValue() throws(Fault) {
        try skipBlanks()
        switch rest.first {
        case "{": try readMembers(until: "}", ofObject: true)
        case "[": try readMembers(until: "]", ofObject: false)
        case "\"", "'": try readText()
        case let character? where character.isLetter || character.isNumber || "+-.".contains(character): readWord()
        case let character?: throw fault("a value is missing before \(String(character).debugDescription)")
        case nil: throw fault("a value is missing at the end")
        }
    }

    private mutating func readMembers(until end: Character, ofObject isObject: Bool) throws(Fault) {
        let start = line
        _ = take()
        depth += 1
        defer { depth -= 1 }
        while true {
            try skipBlanks()
            guard let next = rest.first else {
                throw Fault(line: start, message: "this has no \(String(end).debugDescription) at its end")
            }
            if next == end { break }
            if isObject { try readKey() }
            try readValue()
            try skipBlanks()
            if rest.first == "," {
                _ = take()
            } else if rest.first != end, rest.first != nil {
                throw fault("a comma is missing")
            }
        }
        _ = take()
    }

    private mutating func readKey() throws(Fault) {
        let (text, start) = (rest, line)
        if rest.first == "\"" || rest.first == "'" {
            try readText()
        } else {
            let key = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "$" }
            guard !key.isEmpty else { throw fault("the name of a setting is missing") }
            rest.removeFirst(key.count)
        }
        if depth == 1 {
            let key = text[..<rest.startIndex]
            keys.append((String(key.first == "\"" || key.first == "'" ? key.dropFirst().dropLast() : key), start))
        }
        try skipBlanks()
        guard rest.first == ":" else { throw fault("a colon is missing after the name of a setting") }
        _ = take()
    }

    private mutating func readText() throws(Fault) {
        let start = line
        let quote = take()
        while let character = take() {
            if character == quote { return }
            if character == "\\" { _ = take() }
            guard !character.isNewline else { break }
        }
        throw Fault(line: start, message: "the quoted text does not end")
    }

    private mutating func readWord() {
        while let next = rest.first, next.isLetter || next.isNumber || "+-._".contains(next) { _ = take() }
    }
}
