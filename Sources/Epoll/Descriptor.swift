private import Glibc
package import SystemPackage

/// A file descriptor with exactly one owner; it is closed exactly once, when its owner is destroyed.
package struct Descriptor: ~Copyable, Sendable {
    /// The descriptor number; valid while this value is borrowed.
    package let rawValue: CInt

    /// Takes ownership of a descriptor, which must not be closed elsewhere.
    package init(owning rawValue: CInt) {
        self.rawValue = rawValue
    }

    /// Takes ownership of the descriptor that `call` returns; runs it with ``systemCall(_:)``.
    package init(opening call: () -> CInt) throws(Errno) {
        rawValue = try systemCall(call)
    }

    deinit {
        // close(2): the descriptor is closed even if this fails with EINTR, so it must not be repeated.
        _ = close(rawValue)
    }
}

/// Runs a system call, repeats it while signals interrupt it, and returns its result.
///
/// - Throws: the `errno` of a negative result.
package func systemCall<Result: SignedInteger>(_ call: () -> Result) throws(Errno) -> Result {
    while true {
        let result = call()
        guard result < 0 else { return result }
        let error = Errno(rawValue: errno)
        guard error == .interrupted else { throw error }
    }
}
