import ArgumentParser

/// A word on the command line at the place of a command that is none.
struct UnknownCommand: Hashable {
    let word: String
    /// The command that it was given to, such as `handoffctl devices`.
    let parent: String
    /// The most similar command; nil if none is similar.
    let suggestion: String?

    /// The sentence for the user.
    var message: String {
        let hint = suggestion.map { " Did you mean `\(parent) \($0)`?" } ?? ""
        return "\(word.debugDescription) is not a command of `\(parent)`.\(hint) `\(parent) --help` lists the commands."
    }

    /// Finds the first such word, also in the arguments of `help`; nil if there is none.
    init?(in arguments: [String], of root: any ParsableCommand.Type) {
        guard !Self.isForShells(arguments) else { return nil }
        var command = root
        var path = Self.name(of: root)
        for word in Self.words(arguments) {
            let subcommands = command.configuration.subcommands
            guard !subcommands.isEmpty else { return nil }
            if word == "help" { continue }
            guard let next = subcommands.first(where: { Self.name(of: $0) == word }) else {
                self.word = word
                parent = path
                suggestion = Self.mostSimilar(to: word, among: subcommands.map(Self.name(of:)))
                return
            }
            command = next
            path += " " + word
        }
        return nil
    }

    /// Whether these are arguments of ArgumentParser's own for the completions of a shell, whose values are no commands.
    private static func isForShells(_ arguments: [String]) -> Bool {
        guard let first = arguments.first else { return false }
        return first.hasPrefix("--generate-completion-script") || first == "---completion"
    }

    /// The arguments that are no options, up to `--`.
    private static func words(_ arguments: [String]) -> [String] {
        var words: [String] = []
        var isValue = false
        for argument in arguments {
            if argument == "--" { break }
            if isValue {
                isValue = false
            } else if argument.hasPrefix("-") {
                // The only option with a value that may stand before a command.
                isValue = argument == "--bus"
            } else {
                words.append(argument)
            }
        }
        return words
    }

    private static func name(of command: any ParsableCommand.Type) -> String {
        command.configuration.commandName ?? ""
    }

    private static func mostSimilar(to word: String, among names: [String]) -> String? {
        if let longer = names.first(where: { $0.hasPrefix(word) && word.count > 1 }) { return longer }
        let nearest = names.map { ($0, distance(Array(word.lowercased()), Array($0))) }.min { $0.1 < $1.1 }
        return nearest.flatMap { $0.1 <= 2 ? $0.0 : nil }
    }

    /// The number of characters to insert, remove, replace or swap with their neighbour (optimal string alignment).
    private static func distance(_ one: [Character], _ other: [Character]) -> Int {
        var rows = [Array(0...other.count)]
        for (i, character) in one.enumerated() {
            var row = [i + 1]
            for (j, wanted) in other.enumerated() {
                var best = min(row[j] + 1, rows[i][j + 1] + 1, rows[i][j] + (character == wanted ? 0 : 1))
                if i > 0, j > 0, character == other[j - 1], one[i - 1] == wanted {
                    best = min(best, rows[i - 1][j - 1] + 1)
                }
                row.append(best)
            }
            rows.append(row)
        }
        return rows[one.count][other.count]
    }
}
