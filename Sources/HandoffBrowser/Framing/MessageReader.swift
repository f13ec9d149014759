/// Splits what a browser writes to a native messaging host into messages.
///
/// Each message is its length as 32 bits in the byte order of the computer, and that many bytes (MDN and
/// developer.chrome.com, "Native messaging").
package struct MessageReader: Sendable {
    /// The largest length of a message from the extension, in bytes: several times the largest that it has to send.
    package static let maximumBytes = 64 * 1024

    private static let lengthBytes = 4

    private var bytes: [UInt8] = []
    /// The index of the first byte that was not returned yet.
    private var start = 0

    package init() {}

    /// Whether the bytes so far end within a message, or some messages were not returned yet.
    package var hasRest: Bool { start < bytes.count }

    /// Takes bytes in.
    package mutating func append(_ more: some Sequence<UInt8>) {
        bytes.removeFirst(start)
        start = 0
        bytes += more
    }

    /// Returns the next message; nil when it is not complete yet.
    ///
    /// - Throws: ``BrowserError`` with `messageTooLarge` as soon as such a length is read, and from then on.
    package mutating func next() throws(BrowserError) -> [UInt8]? {
        let body = start + Self.lengthBytes
        guard body <= bytes.count else { return nil }
        let length = Int(Self.length(bytes[start..<body]))
        guard length <= Self.maximumBytes else {
            throw BrowserError(
                .messageTooLarge,
                "A message of the extension has \(length) bytes; at most \(Self.maximumBytes) are allowed."
            )
        }
        guard body + length <= bytes.count else { return nil }
        start = body + length
        return Array(bytes[body..<start])
    }

    /// Returns a message as it is sent to the browser: with its length before it.
    package static func frame(_ message: [UInt8]) -> [UInt8] {
        withUnsafeBytes(of: UInt32(message.count)) { Array($0) } + message
    }

    private static func length(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
    }
}
