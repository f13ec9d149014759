/// Splits a message into fragments, each of which is the plaintext of one Noise message.
///
/// A fragment is one flag byte and a piece of the message. Flag 1 means that more fragments follow, 0 that this is the
/// last.
package struct MessageFragmenter: Sendable {
    /// The default size of a fragment, flag included: 16 KiB.
    package static let defaultFragmentBytes = 16 * 1024

    /// The flag of the last fragment.
    static let last: UInt8 = 0

    /// The flag of every fragment but the last.
    static let moreFollows: UInt8 = 1

    private let pieceBytes: Int

    /// Creates a fragmenter for fragments of at most `fragmentBytes`, flag included.
    ///
    /// - Precondition: `fragmentBytes` is at least 2 and at most 65 519, so that a fragment fits a Noise message.
    package init(fragmentBytes: Int = defaultFragmentBytes) {
        precondition((2...65_519).contains(fragmentBytes), "a fragment has 2 to 65519 bytes")
        pieceBytes = fragmentBytes - 1
    }

    /// Returns the fragments of a message in order, at least one: an empty message gives one fragment with an empty
    /// piece.
    package func fragments(of message: [UInt8]) -> [[UInt8]] {
        guard !message.isEmpty else { return [[Self.last]] }
        return stride(from: 0, to: message.count, by: pieceBytes).map { start in
            let end = min(start + pieceBytes, message.count)
            return [end == message.count ? Self.last : Self.moreFollows] + message[start..<end]
        }
    }
}
