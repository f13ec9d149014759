/// Measures of how well a number separates two classes of samples.
package enum Separation {
    /// The area under the receiver operating characteristic.
    ///
    /// The area is the probability that a sample of the first class has a higher number than one of the second: 0.5 is
    /// guessing, 1 is a perfect separation.
    package static func area(of ones: [Double], over others: [Double]) -> Double {
        let all = (ones.map { ($0, true) } + others.map { ($0, false) }).sorted { $0.0 < $1.0 }
        var (sum, start) = (0.0, 0)
        while start < all.count {
            let end = all[start...].firstIndex { $0.0 != all[start].0 } ?? all.count
            // Equal numbers share the mean of their ranks.
            let rank = Double(start + 1 + end) / 2
            sum += rank * Double(all[start..<end].count(where: \.1))
            start = end
        }
        let (count, other) = (Double(ones.count), Double(others.count))
        return (sum - count * (count + 1) / 2) / (count * other)
    }

    /// How often the bit that separates the first halves of the samples best is right in the second halves.
    package static func bestBit(telling ones: [[UInt8]], from others: [[UInt8]]) -> Double {
        let bits = (ones.first?.count ?? 0) * 8
        let (train, test) = (ones.count / 2, ones.count - ones.count / 2)
        func rate(_ bit: Int, _ samples: ArraySlice<[UInt8]>) -> Double {
            Double(samples.count { $0[bit / 8] >> (bit % 8) & 1 == 1 }) / Double(max(1, samples.count))
        }
        let differences = (0..<bits).map { rate($0, ones[..<train]) - rate($0, others[..<train]) }
        guard let best = differences.indices.max(by: { abs(differences[$0]) < abs(differences[$1]) }) else {
            return 0.5
        }
        let difference = rate(best, ones.suffix(test)) - rate(best, others.suffix(test))
        return 0.5 + (differences[best] < 0 ? -difference : difference) / 2
    }
}
