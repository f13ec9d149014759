/// What is known of the focus in a session of Wayland.
enum FocusReport: Hashable, Sendable {
    /// A window of that process has it.
    case process(UInt32)
    /// No window of an app has it, such as while the person looks at a panel.
    case nothing
    /// A window may have it of which nothing is known.
    case unknown
}
