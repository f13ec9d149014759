/// How many data pieces one direction of a stream may have in transit over the radio.
///
/// A sender waits when ``pieces`` of them have not been reported as taken. So a receiver always reads the channel, and what
/// waits for a slow app waits here: a Linux kernel whose receive buffer is full may change the order of messages or
/// disconnect (Docs/BlueZ.md). Each side keeps one for each direction.
package struct StreamWindow: Hashable, Sendable {
    /// 32 KiB in full pieces: more than an LE link has in transit, 1.4 Mbit/s for 0.1 s, and less than the kernel's
    /// receive buffer holds even in packets of 188 bytes.
    package static let pieces = 4

    /// How many pieces have been sent and not taken.
    private var waiting = 0

    /// Whether another piece may be sent.
    package var hasRoom: Bool { waiting < Self.pieces }

    /// Makes a window without pieces in transit.
    package init() {}

    /// Counts a data piece.
    ///
    /// - Throws: ``HandoffError`` with `peerMisbehaved` when there is no room for it.
    package mutating func add() throws(HandoffError) {
        guard hasRoom else { throw Self.error("The peer sent more pieces of a stream than it may.") }
        waiting += 1
    }

    /// Counts a piece that was taken.
    ///
    /// - Throws: ``HandoffError`` with `peerMisbehaved` when none was in transit.
    package mutating func remove() throws(HandoffError) {
        guard waiting > 0 else { throw Self.error("The peer took a piece of a stream that was not sent.") }
        waiting -= 1
    }

    private static func error(_ text: String) -> HandoffError {
        HandoffError(.peerMisbehaved, text, violation: .outOfTurn)
    }
}
