import HandoffClient

/// Returns text of another device or program as it can be shown: in one line, and unable to change the direction of the
/// text around it.
package func shown(_ text: String) -> String {
    text.inOneLine()
}

/// Returns such text for the middle of a sentence, which keeps its own direction.
package func quoted(_ text: String) -> String {
    shown(text).isolated
}

/// Returns a time as people say it, such as "5 minutes ago".
///
/// - Parameters:
///   - time: microseconds since 1970; 0 for never.
///   - now: microseconds since 1970.
package func ago(_ time: UInt64, now: UInt64) -> String {
    guard time > 0 else { return translated("never seen") }
    let seconds = now > time ? (now - time) / 1_000_000 : 0
    switch seconds {
    case ..<60: return translated("seen just now")
    case ..<3600:
        return counted("seen {count} minute ago", "seen {count} minutes ago", Int(seconds / 60))
    case ..<86_400:
        return counted("seen {count} hour ago", "seen {count} hours ago", Int(seconds / 3600))
    default:
        return counted("seen {count} day ago", "seen {count} days ago", Int(seconds / 86_400))
    }
}

/// Returns how long a pause still lasts, in a sentence.
///
/// - Parameters:
///   - end: microseconds since 1970; 0 for no end.
///   - now: microseconds since 1970.
package func pauseLength(until end: UInt64, now: UInt64) -> String {
    guard end > 0 else { return translated("Handoff is paused until you resume it.") }
    let minutes = end > now ? Int((end - now) / 60_000_000) + 1 : 1
    return minutes < 120
        ? counted("Handoff is paused for {count} more minute.", "Handoff is paused for {count} more minutes.", minutes)
        : counted("Handoff is paused for {count} more hour.", "Handoff is paused for {count} more hours.", minutes / 60)
}
