/// Below which processes the owners of activities were when those had the focus.
struct FocusHistory<Owner: Hashable & Sendable> {
    /// The most processes that are remembered for programs that publish something later.
    private static var mostRecent: Int { 16 }

    /// Of each owner the processes that had the focus and that it is below.
    private var roots: [Owner: Set<UInt32>] = [:]
    /// The processes that had the focus last, in their order.
    private var recent: [UInt32] = []

    /// Records that a process has the focus.
    ///
    /// - Parameters:
    ///   - root: the process.
    ///   - passed: the processes that had it before that one since the last call, in their order.
    ///   - processes: those of all owners that matter; any other owner is forgotten.
    ///   - contains: whether a process is below another one, or is that.
    /// - Returns: the owners that have the focus; those that had it, below a process that they are still below, also
    ///   before they owned anything; and those that never had it: a program whose terminal was closed can never get the
    ///   focus again.
    mutating func focus(
        _ root: UInt32,
        after passed: [UInt32] = [],
        among processes: [Owner: UInt32],
        _ contains: (_ process: UInt32, _ root: UInt32) -> Bool
    ) -> (present: Set<Owner>, past: Set<Owner>, windowless: Set<Owner>) {
        let told = passed + [root]
        recent = (recent.filter { !told.contains($0) } + told).suffix(Self.mostRecent)
        roots = Dictionary(
            uniqueKeysWithValues: processes.map { owner, process in
                let known = roots[owner]?.union(told) ?? Set(recent)
                return (owner, known.filter { contains(process, $0) })
            }
        )
        let present = Set(processes.filter { contains($0.value, root) }.keys)
        let windowless = Set(roots.filter(\.value.isEmpty).keys)
        return (present, Set(roots.keys).subtracting(present).subtracting(windowless), windowless)
    }
}
