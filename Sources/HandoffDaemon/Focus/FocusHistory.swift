/// Below which processes the owners of activities were when those had the focus.
struct FocusHistory<Owner: Hashable & Sendable> {
    private var roots: [Owner: Set<UInt32>] = [:]

    /// Records that a process has the focus.
    ///
    /// - Parameters:
    ///   - root: the process.
    ///   - processes: those of all owners that matter; any other owner is forgotten.
    ///   - contains: whether a process is below another one, or is that.
    /// - Returns: the owners that have the focus, and those that neither have it nor had it below a process that they are
    ///   still below: a program whose terminal was closed can never get the focus again.
    mutating func focus(
        _ root: UInt32,
        among processes: [Owner: UInt32],
        _ contains: (_ process: UInt32, _ root: UInt32) -> Bool
    ) -> (present: Set<Owner>, windowless: Set<Owner>) {
        let present = processes.filter { contains($0.value, root) }.keys
        for owner in present { roots[owner, default: []].insert(root) }
        for (owner, known) in roots {
            let valid: Set<UInt32> = processes[owner].map { process in known.filter { contains(process, $0) } } ?? []
            roots[owner] = valid.isEmpty ? nil : valid
        }
        return (Set(present), Set(processes.keys.filter { roots[$0] == nil }))
    }
}
