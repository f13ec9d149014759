private import Glibc
package import SystemPackage

/// A file descriptor with exactly one owner: it is closed when its owner goes, and never twice.
package struct Descriptor: ~Copyable, Sendable {
    /// The number; good for as long as this value is borrowed.
    package let rawValue: CInt

    /// Takes over a descriptor that nobody else will close.
    package init(owning rawValue: CInt) {
        self.rawValue = rawValue
    }

    /// Takes over what `call` returns, as ``systemCall(_:)`` runs it.
    package init(opening call: () -> CInt) throws(Errno) {
        rawValue = try systemCall(call)
    }

    deinit {
        // close(2): the descriptor is gone even when this fails with EINTR, so there is nothing to repeat.
        _ = close(rawValue)
    }
}

/// What a system call returns, repeated while a signal interrupts it.
///
/// - Throws: the `errno` that goes with a negative result.
package func systemCall<Result: SignedInteger>(_ call: () -> Result) throws(Errno) -> Result {
    while true {
        let result = call()
        guard result < 0 else { return result }
        let error = Errno(rawValue: errno)
        guard error == .interrupted else { throw error }
    }
}
