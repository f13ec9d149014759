/// An error of a connection to an X server.
package struct X11Error: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of error it is.
    package struct Code: Hashable, Sendable {
        private enum Wrapped {
            case unreachable, refused, unsupported, disconnected
        }

        private let wrapped: Wrapped

        /// There is no server for the display, or it cannot be connected to.
        package static let unreachable = Code(wrapped: .unreachable)
        /// The server has refused the connection or a request.
        package static let refused = Code(wrapped: .refused)
        /// The server lacks what was asked for, or sends what nobody asked for.
        package static let unsupported = Code(wrapped: .unsupported)
        /// The connection has ended.
        package static let disconnected = Code(wrapped: .disconnected)
    }

    package let code: Code
    /// What was wrong.
    package let message: String

    package var description: String { message }

    init(_ code: Code, _ message: String) {
        (self.code, self.message) = (code, message)
    }
}
