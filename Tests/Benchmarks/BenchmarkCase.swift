/// Something to measure, and what to compare it with.
struct BenchmarkCase {
    let name: String
    /// Names of other subjects of the same table, each of which this one is told as a multiple of.
    let against: [String]
    /// How many bytes it handles, where that makes sense: to tell its speed.
    let bytes: Int?
    /// What else to say beside the figure.
    let note: String
    let body: () throws -> Int

    init(
        _ name: String,
        against: [String] = [],
        bytes: Int? = nil,
        note: String = "",
        body: @escaping () throws -> Int
    ) {
        self.name = name
        self.against = against
        self.bytes = bytes
        self.note = note
        self.body = body
    }
}
