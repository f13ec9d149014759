/// An error of a compositor or an X server that tells which window has the focus.
struct DisplayError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of error it is.
    enum Code: Hashable, Sendable {
        /// There is no X server for the display, or it cannot be connected to.
        case unreachable
        /// The X server has refused the connection or a request.
        case refused
        /// The compositor or X server has ended the connection, or does not answer.
        case disconnected
        /// It lacks what was asked for, refuses it, or sends what nobody asked for.
        case unsupported
    }

    let code: Code
    /// What was wrong.
    let message: String

    var description: String { message }

    init(_ code: Code, _ message: String) {
        (self.code, self.message) = (code, message)
    }
}
