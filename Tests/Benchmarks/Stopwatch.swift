/// How long to measure.
struct Effort: Sendable {
    /// How often each measurement is repeated; the median counts.
    let repetitions: Int
    /// How long a repetition takes at least; short things are done many times in it.
    let repetition: Duration
    /// How many calls over the bus make one repetition.
    let calls: Int

    static let full = Effort(repetitions: 21, repetition: .milliseconds(10), calls: 512)
    static let quick = Effort(repetitions: 3, repetition: .microseconds(200), calls: 16)
}

/// What a thing costs, in nanoseconds.
struct Measurement: Sendable {
    /// The median of all repetitions.
    let median: Double
    /// The middle half of the repetitions lies between these two.
    let quartiles: ClosedRange<Double>

    /// What was measured at least once, of nanoseconds for each repetition.
    init(_ nanoseconds: [Double]) {
        let sorted = nanoseconds.sorted()
        median = sorted[sorted.count / 2]
        quartiles = sorted[sorted.count / 4]...sorted[sorted.count * 3 / 4]
    }
}

/// Measures `cases`, whose results depend on all that they do, so that no compiler leaves it out.
///
/// They take turns, a repetition each, so that a slow moment of the machine does not fall on one of them alone.
func measurements(of cases: [BenchmarkCase], _ effort: Effort) throws -> [Measurement] {
    let rounds = try cases.map { benchmark in
        var rounds = 1
        // Also warms up.
        while try time(rounds, benchmark.body) < effort.repetition { rounds *= 2 }
        return rounds
    }
    var nanoseconds = Array(repeating: [Double](), count: cases.count)
    for _ in 0..<effort.repetitions {
        for (index, benchmark) in cases.enumerated() {
            nanoseconds[index].append(try time(rounds[index], benchmark.body).nanoseconds / Double(rounds[index]))
        }
    }
    return nanoseconds.map(Measurement.init)
}

private func time(_ rounds: Int, _ body: () throws -> Int) rethrows -> Duration {
    var sum = 0
    let start = ContinuousClock.now
    for _ in 0..<rounds { sum &+= try body() }
    let duration = start.duration(to: .now)
    precondition(sum != .min, "a sum that nobody expects")
    return duration
}

extension Duration {
    /// The whole duration, rounded to what a Double holds.
    var nanoseconds: Double {
        Double(components.seconds) * 1e9 + Double(components.attoseconds) / 1e9
    }
}
