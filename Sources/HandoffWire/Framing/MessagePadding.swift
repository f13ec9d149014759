/// Pads a message to one of a few sizes before it is cut into fragments, so that its length on the air says almost
/// nothing about it.
///
/// A padded message is the message's length in 4 bytes, the lowest last, the message, and zeros up to a size of
/// ``sizes`` (Docs/Protocol.md, "Padding").
package enum MessagePadding {
    /// The sizes of padded messages in bytes, the smallest first.
    ///
    /// All requests and almost all activities have the smallest two. 2048 is there for activities of 1 KiB, which are
    /// common; the others are about four times as large as the one before. 65 600 holds the longest answer with an
    /// activity, the last one the largest circle (Docs/Decisions/0025-lengths-say-little.md).
    package static let sizes = [
        smallest, smallestAnswer, 2048, 4096, 16_384, 65_600, 262_144, 1_048_576, maximumSize,
    ]

    /// The size to which a request is padded at least: it holds every request of this version.
    package static let smallest = 64

    /// The size to which an answer, and everything in an exchange of circles, is padded at least: a refusal is as long
    /// as a small activity.
    package static let smallestAnswer = 1024

    /// The number of bytes of the length in front of the message.
    package static let lengthBytes = 4

    /// The longest message that can be padded, in bytes.
    package static let maximumMessageBytes = maximumSize - lengthBytes

    private static let maximumSize = 2_097_152

    /// Returns the size in bytes of a padded message of `count` bytes.
    ///
    /// - Precondition: `count` is at most ``maximumMessageBytes``; anything else is our bug.
    package static func size(of count: Int, atLeast minimum: Int = smallest) -> Int {
        guard let size = sizes.first(where: { $0 >= max(count + lengthBytes, minimum) }) else {
            preconditionFailure("a message has at most \(maximumMessageBytes) bytes")
        }
        return size
    }

    /// Returns the padded message, which has at least `minimum` bytes.
    ///
    /// - Precondition: the message has at most ``maximumMessageBytes``; anything else is our bug.
    package static func pad(_ message: [UInt8], toAtLeast minimum: Int = smallest) -> [UInt8] {
        let size = size(of: message.count, atLeast: minimum)
        let length = (0..<lengthBytes).reversed().map { UInt8(truncatingIfNeeded: message.count >> (8 * $0)) }
        return length + message + [UInt8](repeating: 0, count: size - lengthBytes - message.count)
    }

    /// Returns the message in a padded message.
    ///
    /// A larger size than needed is accepted: only the sender knows which messages are to look alike.
    ///
    /// - Throws: ``WireError/Code/invalidPadding`` for a size other than one of ``sizes``, for a length beyond it, and for
    ///   padding other than zeros.
    package static func unpad(_ padded: [UInt8]) throws(WireError) -> [UInt8] {
        guard sizes.contains(padded.count) else {
            throw WireError(
                .invalidPadding,
                "A padded message has one of \(sizes.count) sizes, got \(padded.count) bytes."
            )
        }
        let length = padded.prefix(lengthBytes).reduce(0) { $0 << 8 | Int($1) }
        guard length <= padded.count - lengthBytes else {
            throw WireError(
                .invalidPadding,
                "A message of \(length) bytes does not fit \(padded.count) bytes of padding."
            )
        }
        guard padded.dropFirst(lengthBytes + length).allSatisfy({ $0 == 0 }) else {
            throw WireError(.invalidPadding, "The padding of a message holds other bytes than zeros.")
        }
        return Array(padded[lengthBytes..<(lengthBytes + length)])
    }
}
