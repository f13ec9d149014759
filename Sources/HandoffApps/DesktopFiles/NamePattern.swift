/// A pattern of names or titles, as shells have them: `*`, `?`, `[a-z]`, `[!a-z]`, and `\` before a character that stands
/// for itself.
///
/// Titles are written by other devices, and patterns by packages: a match takes no more steps than the name is long times
/// the pattern is long. fnmatch of the C library may try every way in which stars can divide a name.
package struct NamePattern: Hashable, Sendable {
    private enum Part: Hashable, Sendable {
        case anyNumber
        case anyOne
        case literal(Unicode.Scalar)
        case oneOf([ClosedRange<Unicode.Scalar>], isNegated: Bool)

        func matches(_ scalar: Unicode.Scalar) -> Bool {
            switch self {
            case .anyNumber: false
            case .anyOne: true
            case .literal(let own): own == scalar
            case .oneOf(let ranges, let isNegated): ranges.contains { $0.contains(scalar) } != isNegated
            }
        }
    }

    private let parts: [Part]

    /// Parses a pattern; each text is one, and what is no whole `[…]` stands for itself.
    package init(_ text: String) {
        var rest = Substring(text).unicodeScalars
        var parts: [Part] = []
        while let first = rest.popFirst() {
            switch first {
            case "*": parts.append(.anyNumber)
            case "?": parts.append(.anyOne)
            case "[": parts.append(Self.set(&rest) ?? .literal("["))
            case "\\": parts.append(.literal(rest.popFirst() ?? "\\"))
            default: parts.append(.literal(first))
            }
        }
        self.parts = parts
    }

    /// Whether all of a name matches.
    package func matches(_ name: String) -> Bool {
        let scalars = Array(name.unicodeScalars)
        var (part, place) = (0, 0)
        // The last star, and where what follows it was tried last: if that fails, the star takes one character more. What
        // was before the star has matched, and need not be tried in another way.
        var star: (part: Int, place: Int)?
        while place < scalars.count {
            if part < parts.count, parts[part] == .anyNumber {
                star = (part, place)
                part += 1
            } else if part < parts.count, parts[part].matches(scalars[place]) {
                (part, place) = (part + 1, place + 1)
            } else if let last = star {
                star = (last.part, last.place + 1)
                (part, place) = (last.part + 1, last.place + 1)
            } else {
                return false
            }
        }
        return parts[part...].allSatisfy { $0 == .anyNumber }
    }

    /// Parses what follows `[` up to its `]`; nil, and nothing is taken, if there is none.
    private static func set(_ rest: inout Substring.UnicodeScalarView) -> Part? {
        var inside = rest
        let isNegated = inside.first == "!" || inside.first == "^"
        if isNegated { inside.removeFirst() }
        var ranges: [ClosedRange<Unicode.Scalar>] = []
        var isFirst = true
        while let next = inside.first {
            // The first one stands for itself.
            if next == "]", !isFirst {
                rest = inside.dropFirst()
                return .oneOf(ranges, isNegated: isNegated)
            }
            isFirst = false
            let lower = character(&inside)
            var after = inside
            guard after.popFirst() == "-", after.first != "]", !after.isEmpty else {
                ranges.append(lower...lower)
                continue
            }
            let upper = character(&after)
            inside = after
            // In the wrong order, it has no characters.
            if lower <= upper { ranges.append(lower...upper) }
        }
        return nil
    }

    /// Takes the next character of a set that is not empty, or the one that a backslash stands before.
    private static func character(_ rest: inout Substring.UnicodeScalarView) -> Unicode.Scalar {
        let first = rest.removeFirst()
        return first == "\\" ? rest.popFirst() ?? first : first
    }
}
