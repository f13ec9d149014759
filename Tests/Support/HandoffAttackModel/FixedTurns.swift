/// The turns of version 1 of this protocol: a directed advertisement of always the same length after pauses of always the
/// same length, which knew nothing of slots.
package struct FixedTurns: Sendable {
    /// The length of a turn in seconds.
    package static let length = 5.28
    /// From the beginning of a turn to that of the next, in seconds.
    package static let period = length + 300

    /// When the first turn began, in seconds.
    private let start: Double

    /// A device whose member has been away for long.
    package init(start: Double) {
        self.start = start
    }

    /// When the turns that begin in a time began, in seconds.
    package func beginnings(from begin: Double, to end: Double) -> [Double] {
        let first = ((begin - start) / Self.period).rounded(.up)
        return (0...).lazy.map { start + (first + Double($0)) * Self.period }.prefix { $0 < end }.map(\.self)
    }
}
