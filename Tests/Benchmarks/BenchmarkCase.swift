/// An operation to measure, and the operations to compare it with.
struct BenchmarkCase {
    let name: String
    /// Names of other cases of the same table; the result is given as a multiple of each of them.
    let against: [String]
    /// The number of bytes that the operation handles, from which its speed is computed; nil if it has none.
    let bytes: Int?
    /// What the operation may cost; nil if nothing was decided.
    let budget: Budget?
    /// A note that is printed with the result.
    let note: String
    let body: () throws -> Int

    init(
        _ name: String,
        against: [String] = [],
        bytes: Int? = nil,
        budget: Budget? = nil,
        note: String = "",
        body: @escaping () throws -> Int
    ) {
        self.name = name
        self.against = against
        self.bytes = bytes
        self.budget = budget
        self.note = note
        self.body = body
    }
}
