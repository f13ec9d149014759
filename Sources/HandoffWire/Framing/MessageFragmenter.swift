/// Cuts a message into the pieces that travel as one Noise plaintext each.
///
/// A fragment is one flag byte and a piece: 1 says that more follows, 0 that this is the last.
package struct MessageFragmenter: Sendable {
    /// The size of a fragment, flag included, where nothing else is said: 16 KiB.
    package static let defaultFragmentBytes = 16 * 1024

    /// The flag of a last fragment.
    static let last: UInt8 = 0

    /// The flag of a fragment that others follow.
    static let moreFollows: UInt8 = 1

    private let pieceBytes: Int

    /// Cuts into fragments of at most `fragmentBytes`, flag included.
    ///
    /// - Precondition: `fragmentBytes` is at least 2 and at most 65 519, so that a Noise message holds it.
    package init(fragmentBytes: Int = defaultFragmentBytes) {
        precondition((2...65_519).contains(fragmentBytes), "a fragment has 2 to 65519 bytes")
        pieceBytes = fragmentBytes - 1
    }

    /// The fragments of a message in order, never none: an empty message is one fragment with an empty piece.
    package func fragments(of message: [UInt8]) -> [[UInt8]] {
        guard !message.isEmpty else { return [[Self.last]] }
        return stride(from: 0, to: message.count, by: pieceBytes).map { start in
            let end = min(start + pieceBytes, message.count)
            return [end == message.count ? Self.last : Self.moreFollows] + message[start..<end]
        }
    }
}
