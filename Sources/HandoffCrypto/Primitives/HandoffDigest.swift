import Crypto

/// The digests that identify devices, activity types and transcripts.
package enum HandoffDigest {
    /// Returns an activity type's hash for advertisements: the first 5 bytes of the SHA-256 of its UTF-8 text.
    package static func activityTypeHash(_ type: String) -> [UInt8] {
        Array(SHA256.hash(data: Array(type.utf8)).prefix(5))
    }

    /// Returns the SHA-256 of `bytes`.
    package static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        Array(SHA256.hash(data: bytes))
    }
}
