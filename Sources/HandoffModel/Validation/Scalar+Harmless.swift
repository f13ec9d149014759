extension Unicode.Scalar {
    /// Whether this scalar, from another device or program, can stand in a line on a terminal: it does not start a
    /// line, move the cursor or change the text direction.
    package var isHarmlessInLine: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: false
        default: !properties.isBidiControl
        }
    }
}
