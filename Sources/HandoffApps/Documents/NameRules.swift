/// The patterns of file names of one MIME database (Shared MIME-info Database specification, "The glob files").
struct NameRules: Sendable {
    /// A type that a name can mean.
    typealias Match = (type: String, weight: Int)

    private struct Rule {
        let weight: Int
        let type: String
        /// A whole name; the end of one, without the star; or a pattern with other characters that are not themselves.
        let text: String
        let isCaseSensitive: Bool
    }

    private var literals: [Rule] = []
    private var endings: [Rule] = []
    private var patterns: [Rule] = []

    /// The type of the files of exactly that name; nil for none.
    ///
    /// - Parameters:
    ///   - name: a name; in small letters unless the case counts.
    ///   - cases: whether rules for which the case counts are asked also.
    func literal(_ name: String, cases: Bool) -> String? {
        literals.first { ($0.isCaseSensitive ? cases : true) && $0.text == name }?.type
    }

    /// The types of the longest ending that the name has; parameters as of ``literal(_:cases:)``.
    func suffixes(_ name: String, cases: Bool) -> [Match] {
        let fitting = endings.filter { rule in
            (rule.isCaseSensitive ? cases : true) && name.utf8.count >= rule.text.utf8.count && name.hasEnd(rule.text)
        }
        let longest = fitting.map(\.text.utf8.count).max()
        return fitting.filter { $0.text.utf8.count == longest }.map { ($0.type, $0.weight) }
    }

    /// The types of all other patterns that match the name; parameters as of ``literal(_:cases:)``.
    func matches(_ name: String, cases: Bool) -> [Match] {
        patterns.filter { ($0.isCaseSensitive ? cases : true) && NamePattern($0.text).matches(name) }
            .map { ($0.type, $0.weight) }
    }

    /// Reads the `globs2` files of several databases, of which an earlier one can take back the rules of later ones.
    struct Reader {
        /// Types whose patterns in files of lower precedence are ignored.
        private var suppressed: Set<String> = []

        /// The rules of the next file.
        mutating func read(_ text: String) -> NameRules {
            var (rules, newlySuppressed) = (NameRules(), Set<String>())
            let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap(Line.init)
            // Databases repeat such a rule without its flag, for programs that do not know it.
            let sensitive = Set(lines.filter(\.isCaseSensitive).map { "\($0.type):\($0.pattern)" })
            for line in lines {
                if line.pattern == "__NOGLOBS__" {
                    newlySuppressed.insert(line.type)
                } else if !suppressed.contains(line.type),
                    line.isCaseSensitive || !sensitive.contains("\(line.type):\(line.pattern)")
                {
                    rules.add(line)
                }
            }
            suppressed.formUnion(newlySuppressed)
            return rules
        }
    }

    private struct Line {
        let weight: Int
        let type: String
        let pattern: String
        let isCaseSensitive: Bool

        init?(_ line: Substring) {
            let fields = line.split(separator: ":", maxSplits: 3, omittingEmptySubsequences: false)
            guard fields.count >= 3, let weight = Int(fields[0]), !fields[2].isEmpty else { return nil }
            self.weight = weight
            type = String(fields[1])
            isCaseSensitive = fields.count > 3 && fields[3].split(separator: ",").contains("cs")
            pattern = String(fields[2])
        }
    }

    private mutating func add(_ line: Line) {
        let text = line.isCaseSensitive ? line.pattern : line.pattern.lowercasedASCII
        let rule = { Rule(weight: line.weight, type: line.type, text: $0, isCaseSensitive: line.isCaseSensitive) }
        let isSpecial = { (byte: UInt8) in [UInt8(ascii: "*"), UInt8(ascii: "?"), UInt8(ascii: "[")].contains(byte) }
        switch text.utf8.lastIndex(where: isSpecial) {
        case nil: literals.append(rule(text))
        case text.startIndex where text.hasPrefix("*"): endings.append(rule(String(text.dropFirst())))
        default: patterns.append(rule(text))
        }
    }
}

extension String {
    /// Whether it ends with that text, byte for byte.
    fileprivate func hasEnd(_ text: String) -> Bool { utf8.suffix(text.utf8.count).elementsEqual(text.utf8) }
}
