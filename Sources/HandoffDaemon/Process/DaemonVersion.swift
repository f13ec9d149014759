/// The version of handoffd and handoffctl.
package enum DaemonVersion {
    /// The version as in Semantic Versioning.
    package static let current = "0.1.0"
}
