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

/// Writes all of the bytes to a descriptor in blocking mode.
///
/// - Throws: the error of write(2); some of the bytes may have been written.
package func writeAll(_ bytes: ArraySlice<UInt8>, to descriptor: CInt) throws(Errno) {
    var rest = bytes
    while !rest.isEmpty {
        let count = try systemCall { rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) } }
        // No file system should answer that it has written nothing.
        guard count > 0 else { throw .ioError }
        rest = rest.dropFirst(count)
    }
}
