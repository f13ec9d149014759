/// How thoroughly to measure.
struct Effort: Sendable {
    /// The number of repetitions of each measurement; the median counts.
    let repetitions: Int
    /// The minimum time of a repetition, which runs short operations many times.
    let repetition: Duration
    /// The number of calls over the bus in one repetition.
    let calls: Int

    static let full = Effort(repetitions: 21, repetition: .milliseconds(10), calls: 512)
    static let quick = Effort(repetitions: 3, repetition: .microseconds(200), calls: 16)
}

/// The time of an operation, in nanoseconds.
struct Measurement: Sendable {
    /// The median of all repetitions.
    let median: Double
    /// The range of the middle half of the repetitions.
    let quartiles: ClosedRange<Double>

    /// The summary of at least one repetition, each given in nanoseconds.
    init(_ nanoseconds: [Double]) {
        let sorted = nanoseconds.sorted()
        median = sorted[sorted.count / 2]
        quartiles = sorted[sorted.count / 4]...sorted[sorted.count * 3 / 4]
    }
}

/// Measures `cases`, whose results depend on all their work, so that the compiler cannot remove it.
///
/// The cases alternate after each repetition, so that a slow moment of the machine does not affect only one of them.
func measurements(of cases: [BenchmarkCase], _ effort: Effort) throws -> [Measurement] {
    let rounds = try cases.map { benchmark in
        var rounds = 1
        // Also a warm-up.
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
    precondition(sum != .min, "the sum is used, so that the compiler keeps the work")
    return duration
}

extension Duration {
    /// The duration in nanoseconds, rounded to the precision of Double.
    var nanoseconds: Double {
        Double(components.seconds) * 1e9 + Double(components.attoseconds) / 1e9
    }
}
