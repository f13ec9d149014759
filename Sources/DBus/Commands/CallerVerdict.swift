/// What is decided about a caller.
package enum CallerVerdict: Equatable, Sendable {
    /// All calls are performed.
    case admitted
    /// All calls are answered with the error.
    case refused(DBusError)
    /// It could not be decided: the calls that wait are answered with the error, and the next one asks again.
    case undecided(DBusError)
}
