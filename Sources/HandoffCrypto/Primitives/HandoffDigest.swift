import Crypto

/// The digest from which the identifiers of devices, activity types and transcripts are made.
package enum HandoffDigest {
    /// Returns the SHA-256 of `bytes`.
    package static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        SHA256.hash(data: bytes).withUnsafeBytes { Array($0) }
    }
}
