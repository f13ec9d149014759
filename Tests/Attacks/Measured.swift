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
