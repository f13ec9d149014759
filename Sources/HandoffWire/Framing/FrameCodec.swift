/// Encodes frames on a channel: a big-endian length of two bytes, and that many bytes.
///
/// A frame has 1…65 535 bytes after its length and is independent of the boundaries of the SDUs that carry it.
package enum FrameCodec {
    /// The most bytes after the length; also the most that a Noise message may have (Noise rev 34, section 3).
    package static let maximumLength = 65_535

    /// The number of bytes of the length.
    package static let lengthBytes = 2

    /// Returns the bytes of one frame.
    ///
    /// - Precondition: `body` has 1…``maximumLength`` bytes; anything else is our bug.
    package static func encode(_ body: [UInt8]) -> [UInt8] {
        var frame: [UInt8] = []
        frame.reserveCapacity(lengthBytes + body.count)
        appendLength(body.count, to: &frame)
        frame += body
        return frame
    }

    /// Appends what comes before the `count` bytes of a frame.
    ///
    /// - Precondition: `count` lies in 1…``maximumLength``; anything else is our bug.
    package static func appendLength(_ count: Int, to bytes: inout [UInt8]) {
        precondition((1...maximumLength).contains(count), "a frame has 1 to 65535 bytes")
        bytes.append(UInt8(count >> 8))
        bytes.append(UInt8(count & 0xFF))
    }
}
