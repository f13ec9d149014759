import Synchronization

/// How many channels may be open at once.
final class Places: Sendable {
    private let free: Mutex<Int>

    init(_ count: Int) {
        free = Mutex(count)
    }

    /// Takes a place; false when there is none.
    func take() -> Bool {
        free.withLock { free in
            guard free > 0 else { return false }
            free -= 1
            return true
        }
    }

    func giveBack() {
        free.withLock { $0 += 1 }
    }
}
