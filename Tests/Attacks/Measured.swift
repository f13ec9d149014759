import HandoffAttackModel
import Testing

/// Prints the result of an attack, and checks that the table of attacks has the same result.
func measured(
    _ attack: Attack,
    onModel: String,
    here: String,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    print("attack \(attack.number), \(attack.name): on the model \(onModel); here \(here)")
    #expect(onModel == attack.onModel, sourceLocation: sourceLocation)
    #expect(here == attack.here, sourceLocation: sourceLocation)
}

extension Double {
    /// The number with two decimals.
    var rounded: String {
        let hundredths = Int((self * 100).rounded())
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }

    /// The number as a percentage without decimals.
    var percent: String { "\(Int((self * 100).rounded())) %" }
}
