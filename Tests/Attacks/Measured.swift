import HandoffAttackModel
import Testing

/// Prints what an attack has achieved, and checks that the table of attacks says the same.
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
    /// With two digits behind the point.
    var rounded: String {
        let hundredths = Int((self * 100).rounded())
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }

    /// As a percentage without digits behind the point.
    var percent: String { "\(Int((self * 100).rounded())) %" }
}
