/// A published attack: its result on a model of the format that it was published for, and its result here.
///
/// The list of all attacks, in `Attack+All.swift`, is the table of Docs/ThreatModel.md. A test measures each attack and
/// fails if its results differ from those of the list.
package struct Attack: Hashable, Sendable {
    /// The outcome of the attack here.
    package enum Verdict: String, Sendable {
        case fails
        /// A part of the attack succeeds, as its result says.
        case partly = "in part"
        /// The attack needs something that does not exist here.
        case inapplicable = "does not apply"
        /// No protocol above the radio can prevent it.
        case outOfScope = "out of scope"
    }

    /// The attack's number in the table.
    package let number: Int
    package let name: String
    /// The paper that describes the attack, or from which it follows.
    package let source: String
    /// The result on the model.
    package let onModel: String
    /// The result here.
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
