/// A table of results: the operation, its median time, the range of the times, and comparisons.
struct ResultTable {
    private let title: String
    private var rows: [[String]] = [["", "median", "middle half", "compared"]]

    init(_ title: String) {
        self.title = title
    }

    /// Measures the cases, and adds a row for each.
    ///
    /// - Returns: the measurements, by the names of the cases.
    @discardableResult
    mutating func measure(_ cases: [BenchmarkCase], _ effort: Effort) throws -> [String: Measurement] {
        let found = try measurements(of: cases, effort)
        for (benchmark, measurement) in zip(cases, found) {
            var notes = benchmark.against.compactMap { name in
                cases.firstIndex { $0.name == name }.map { Self.ratio(measurement, to: found[$0], name) }
            }
            if let bytes = benchmark.bytes {
                notes.append("\(Self.digits(Double(bytes) / measurement.median * 1000)) MB/s")
            }
            if let budget = benchmark.budget { notes.append(budget.verdict(on: measurement.median)) }
            append(benchmark.name, measurement, notes + [benchmark.note])
        }
        return Dictionary(uniqueKeysWithValues: zip(cases.map(\.name), found))
    }

    /// Adds a row with a time.
    mutating func append(_ what: String, _ measurement: Measurement, _ notes: [String]) {
        let (low, high) = (measurement.quartiles.lowerBound, measurement.quartiles.upperBound)
        rows.append([what, Self.time(measurement.median), "\(Self.time(low)) … \(Self.time(high))", Self.joined(notes)])
    }

    /// Adds a row with a value that is not a time.
    mutating func append(_ what: String, _ amount: String, _ notes: [String]) {
        rows.append([what, amount, "", Self.joined(notes)])
    }

    /// The title and the rows, ready to print.
    var text: String {
        let widths = (0..<3).map { column in rows.map { $0[column].count }.max() ?? 0 }
        let lines = rows.map { row in
            let what = row[0] + String(repeating: " ", count: widths[0] - row[0].count)
            let figures = (1..<3).map { String(repeating: " ", count: widths[$0] - row[$0].count) + row[$0] }
            return "  " + ([what] + figures + [row[3]]).joined(separator: "   ")
        }
        return ([title] + lines).joined(separator: "\n") + "\n"
    }

    private static func joined(_ notes: [String]) -> String {
        notes.filter { !$0.isEmpty }.joined(separator: ", ")
    }

    /// Nanoseconds, in the unit that leaves few digits.
    static func time(_ nanoseconds: Double) -> String {
        switch nanoseconds {
        case ..<1000: "\(digits(nanoseconds)) ns"
        case ..<1_000_000: "\(digits(nanoseconds / 1000)) µs"
        default: "\(digits(nanoseconds / 1_000_000)) ms"
        }
    }

    /// The measurement as a multiple of `other`.
    static func ratio(_ measurement: Measurement, to other: Measurement, _ name: String) -> String {
        "\(digits(measurement.median / other.median)) × \(name)"
    }

    /// The number with three significant digits, or more before the decimal point.
    static func digits(_ number: Double) -> String {
        let places = number < 10 ? 100.0 : number < 100 ? 10 : 1
        let rounded = (number * places).rounded() / places
        return places == 1 ? "\(Int(rounded))" : "\(rounded)"
    }
}
