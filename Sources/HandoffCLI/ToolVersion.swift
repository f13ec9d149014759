/// The version that `handoffctl --version` prints.
enum ToolVersion {
    /// The same as handoffd's; a test compares them.
    static let current = "0.1.0"
}
