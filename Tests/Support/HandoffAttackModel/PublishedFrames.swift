/// The frames of the published companion link, which have a type and a length of three bytes that the reader trusts.
package struct PublishedFrames: Sendable {
    private var buffer: [UInt8] = []

    package init() {}

    /// The number of further bytes that the reader will buffer for an unauthenticated peer.
    package private(set) var awaited = 0

    /// Appends received bytes, and returns the frame if it is complete.
    package mutating func append(_ bytes: [UInt8]) -> [UInt8]? {
        buffer += bytes
        guard buffer.count >= 4 else { return nil }
        let length = buffer[1..<4].reduce(0) { $0 << 8 | Int($1) }
        awaited = 4 + length - buffer.count
        return awaited <= 0 ? buffer : nil
    }
}
