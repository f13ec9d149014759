import Glibc

/// An open file descriptor on its way through the bus; closed when the last reference to it goes.
package final class UnixFD: Sendable {
    private let descriptor: Int32

    /// Takes over `descriptor`, which is open and which nobody else closes.
    package init(taking descriptor: Int32) {
        precondition(descriptor >= 0, "a file descriptor is not negative")
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// A new descriptor for the same open file, which the caller has to close; it is closed on exec.
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

/// Two are equal if they are the same object: equal numbers in two messages are not the same file.
extension UnixFD: Hashable {
    package static func == (left: UnixFD, right: UnixFD) -> Bool {
        left === right
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
