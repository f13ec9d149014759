import Synchronization

/// The number of tasks that are in each critical section at the moment.
final class HolderCount<Key: Hashable & Sendable>: Sendable {
    private let counts = Mutex<[Key: Int]>([:])

    /// Enters the section; returns how many are in it then.
    func enter(_ key: Key) -> Int {
        counts.withLock { counts in
            counts[key, default: 0] += 1
            return counts[key, default: 0]
        }
    }

    func leave(_ key: Key) {
        counts.withLock { $0[key, default: 0] -= 1 }
    }
}
