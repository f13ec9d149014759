package import DBus

/// What the person wants.
package enum DesktopCommand: Hashable, Sendable {
    case continueActivity(ObjectPath)
    /// Continues the nearest activity that can be continued here.
    case continueNearest
    case cancel(ObjectPath)
    case pair
    case stopPairing
    /// Shows the digits again that were closed without an answer.
    case showDigits
    /// Pauses Handoff for an hour, or without an end.
    case pause(forAnHour: Bool)
    case resume
    case setReceiveOnly(Bool)
    case startDaemon
    case bindShortcut
    case openWindow
}
