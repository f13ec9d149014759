/// Something that reads input from outside.
protocol FuzzTarget {
    /// How many inputs have reached each milestone; empty where none are counted.
    ///
    /// It begins with zeros for those that seeds of the corpus have to reach.
    var reached: [Milestone: Int] { get }

    /// Reads one input.
    ///
    /// Invalid input must lead to a thrown error, which the target catches. A trap, a violated precondition of the
    /// target or of the code, too much memory or too much time is a finding.
    mutating func take(_ bytes: [UInt8])
}

extension FuzzTarget {
    var reached: [Milestone: Int] { [:] }
}
