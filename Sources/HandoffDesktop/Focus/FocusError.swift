/// An error of a compositor that tells which window has the focus.
struct FocusError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of error it is.
    struct Code: Hashable, Sendable {
        private enum Wrapped {
            case disconnected, unsupported
        }

        private let wrapped: Wrapped

        /// The compositor has ended the connection, or does not answer.
        static let disconnected = Code(wrapped: .disconnected)
        /// It sends what it should not, or refuses what was asked for.
        static let unsupported = Code(wrapped: .unsupported)
    }

    let code: Code
    /// What was wrong.
    let message: String

    var description: String { message }

    init(_ code: Code, _ message: String) {
        (self.code, self.message) = (code, message)
    }
}
