import HandoffBus

/// What a tray item shows, besides its menu (StatusNotifierItem, "Properties").
package struct TrayStatus: Hashable, Sendable {
    /// How much the item wants to be seen; the raw values are those of the specification.
    package enum Attention: String, Hashable, Sendable {
        /// Nothing is near and nothing is wrong: desktops hide it.
        case passive = "Passive"
        case active = "Active"
        /// A question waits for an answer.
        case needed = "NeedsAttention"
    }

    package let attention: Attention
    /// The name of the icon.
    package let icon: String
    /// A few words.
    package let title: String
    /// Sentences, with `&`, `<` and `>` escaped.
    package let text: String

    /// The icon when something is wrong.
    package static let problemIcon = "\(HandoffName.desktopFile)-problem-symbolic"
    /// The icon during a pause.
    package static let pausedIcon = "\(HandoffName.desktopFile)-paused-symbolic"
    /// The icon otherwise.
    package static let icon = "\(HandoffName.desktopFile)-symbolic"
}
