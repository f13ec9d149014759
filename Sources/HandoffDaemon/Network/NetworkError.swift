package import SystemPackage

/// An error of a connection over a network: a code, and a sentence that says what went wrong.
package struct NetworkError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The code of a ``NetworkError``.
    package enum Code: String, Hashable, Sendable, CustomStringConvertible {
        /// This system permits no internet sockets, or has no more descriptors.
        case unavailable
        /// The other computer cannot be reached, or accepts no connection.
        case unreachable
        /// An open connection has broken.
        case connectionLost
        /// This end is closed.
        case closed
        /// The task was cancelled.
        case cancelled

        /// The name of the code in messages and logs.
        package var description: String { rawValue }
    }

    /// What failed; the raw value is used in messages.
    package enum Operation: String, Hashable, Sendable {
        case listen = "Listening on the local network"
        case connect = "Connecting over the local network"
        case transfer = "Using a connection over the local network"
        case addresses = "Reading the addresses of this computer"
    }

    package let code: Code

    package let message: String

    package var description: String { "\(message) (\(code))" }

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Creates the error for a failed operation from its `errno`.
    package init(_ errno: Errno, during operation: Operation) {
        let code: Code =
            switch (errno, operation) {
            case (.canceled, _): .cancelled
            case (.badFileDescriptor, _): .closed
            case (_, .transfer): .connectionLost
            case (_, .connect): .unreachable
            default: .unavailable
            }
        self.init(code, "\(operation.rawValue) failed: \(errno).")
    }
}
