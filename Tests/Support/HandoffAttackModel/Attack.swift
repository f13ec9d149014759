/// One published attack: what it achieves on a model of the format that it was published for, and what here.
///
/// The list of all of them, in `Attack+All.swift`, is the table of Docs/ThreatModel.md. Each test measures its attack, and
/// fails when the figures are others than those of the list.
package struct Attack: Hashable, Sendable {
    /// What became of the attack here.
    package enum Verdict: String, Sendable {
        case fails
        /// A part of it succeeds, which the figures name.
        case partly = "in part"
        /// What it needs does not exist here.
        case inapplicable = "does not apply"
        /// No protocol above the radio can prevent it.
        case outOfScope = "out of scope"
    }

    /// Its number in the table.
    package let number: Int
    package let name: String
    /// The paper, or where the idea comes from.
    package let source: String
    /// What it achieves on the model.
    package let onModel: String
    /// What it achieves here.
    package let here: String
    package let verdict: Verdict

    /// One line for the output of the tests.
    package var line: String { "attack \(number), \(name): on the model \(onModel); here \(here): \(verdict.rawValue)" }

    /// The table of all attacks, in Markdown.
    package static var table: String {
        let head = ["| | attack | published by | on the model | here | |", "|---|---|---|---|---|---|"]
        let rows = all.map { attack in
            "| \(attack.number) | \(attack.name) | \(attack.source) | \(attack.onModel) | \(attack.here) "
                + "| \(attack.verdict.rawValue) |"
        }
        return (head + rows).joined(separator: "\n") + "\n"
    }
}
