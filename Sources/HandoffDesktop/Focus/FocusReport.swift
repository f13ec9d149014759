/// What is known of the focus in a session of Wayland.
enum FocusReport: Hashable, Sendable {
    /// A window of that process has it.
    case process(UInt32)
    /// No window of an app has it, such as while the person looks at a panel.
    case nothing
    /// A window may have it of which nothing is known.
    case unknown

    /// What a compositor tells of the window with the focus.
    ///
    /// - Parameter process: the process of that window; nil when none has the focus. One of X11 may be of another computer, or
    ///   of a program in a namespace, and then have no process or the first one.
    init(windowOf process: Int64?) {
        guard let process else {
            self = .nothing
            return
        }
        self = if let number = UInt32(exactly: process), number > 1 { .process(number) } else { .unknown }
    }
}
