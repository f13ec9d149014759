/// The version of handoffd and handoffctl.
package enum DaemonVersion {
    /// In the form of Semantic Versioning.
    package static let current = "0.1.0"
}
