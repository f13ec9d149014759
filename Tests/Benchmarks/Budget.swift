/// The most that something may cost, as Docs/Measurements.md lists it.
struct Budget {
    private let limit: Double
    private let text: String

    /// A time in microseconds.
    static func microseconds(_ number: Int) -> Budget { Budget(limit: Double(number) * 1000, text: "\(number) µs") }

    /// A number of bytes.
    static func bytes(_ number: Int) -> Budget { Budget(limit: Double(number), text: "\(number)") }

    /// A share of one processor core, in percent.
    static func percentOfCore(_ number: Int) -> Budget { Budget(limit: Double(number), text: "\(number) %") }

    /// The budget, and whether `amount`, in nanoseconds, bytes or percent, is within it; a debug build is not judged.
    func verdict(on amount: Double) -> String {
        #if DEBUG
            "budget \(text) for a release build"
        #else
            "budget \(text): \(amount <= limit ? "kept" : "missed")"
        #endif
    }
}
