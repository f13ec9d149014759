/// Which of the connections over a local network that two devices have opened for one stream is meant.
///
/// Only the two devices can compute it: from their secret, and the random numbers that were exchanged over the connection.
package struct NetworkConnectionID: Hashable, Sendable {
    /// The number of bytes.
    package static let byteCount = 16

    package let bytes: [UInt8]

    /// Makes an identifier; nil unless there are ``byteCount`` bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }
}
