/// The version of handoffd, handoffctl and the interfaces between them.
package enum HandoffVersion {
    /// The version as in Semantic Versioning; the property `Version` of `Manager1` reports the daemon's.
    package static let current = "0.2.0"
}
