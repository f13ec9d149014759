/// The version that `handoffctl --version` prints.
enum ToolVersion {
    /// Equal to handoffd's version; a test compares them.
    static let current = "0.1.0"
}
