import Glibc

/// An open file descriptor that is passed over the bus; closed when the last reference to it is released.
package final class UnixFD: Sendable {
    private let descriptor: Int32

    /// Takes ownership of `descriptor`, which must be open and must not be closed elsewhere.
    package init(taking descriptor: Int32) {
        precondition(descriptor >= 0, "a file descriptor must not be negative")
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// Returns a new close-on-exec descriptor of the same open file, which the caller has to close.
    ///
    /// - Throws: `DBusError.Code.limit` if the process has no descriptor left.
    package func duplicate() throws(DBusError) -> Int32 {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else {
            throw DBusError(.limit, "a file descriptor cannot be duplicated: raise the limit on open files")
        }
        return copy
    }

    /// Lends the descriptor to `body`, which must neither close nor keep it.
    package func withFileDescriptor<T, Failure: Error>(_ body: (Int32) throws(Failure) -> T) throws(Failure) -> T {
        defer { withExtendedLifetime(self) {} }
        return try body(descriptor)
    }
}

/// Two descriptors are equal if they are the same object: equal numbers in two messages do not mean the same file.
extension UnixFD: Hashable {
    package static func == (left: UnixFD, right: UnixFD) -> Bool {
        left === right
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
