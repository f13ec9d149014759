package import DBus

/// What a notification server tells about a notification, whose id it names.
package enum NotificationEvent: Hashable, Sendable {
    /// A button of the notification was pressed, or with the key `default` the notification itself.
    case pressed(UInt32, key: String)
    /// The token with which the following click lets a window take the focus.
    case activationToken(UInt32, String)
    /// The notification is not shown any more.
    case closed(UInt32)

    /// Parses a signal; returns nil for any other signal.
    package init?(_ signal: Signal) {
        guard let id = signal.arguments.first?.uint32 else { return nil }
        let text = signal.arguments.dropFirst().first?.string
        switch (signal.member, text) {
        case ("ActionInvoked", let key?): self = .pressed(id, key: key)
        case ("NotificationClosed", _): self = .closed(id)
        case ("ActivationToken", let token?): self = .activationToken(id, token)
        default: return nil
        }
    }
}
