import Crypto

/// The digests by which things are named.
package enum HandoffDigest {
    /// The 5 bytes that stand for an activity type in an advertisement: the beginning of the SHA-256 of its UTF-8 text.
    package static func activityTypeHash(_ type: String) -> [UInt8] {
        Array(SHA256.hash(data: Array(type.utf8)).prefix(5))
    }

    /// The SHA-256 of `bytes`.
    package static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        Array(SHA256.hash(data: bytes))
    }
}
