/// Something that reads input from outside.
protocol FuzzTarget {
    /// Reads one input.
    ///
    /// Invalid input must lead to a thrown error, which the target catches. A trap, a violated precondition of the
    /// target or of the code, too much memory or too much time is a finding.
    mutating func take(_ bytes: [UInt8])
}
