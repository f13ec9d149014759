/// The frames of the published companion link: a type and a length of three bytes, which the reader believes.
package struct PublishedFrames: Sendable {
    private var buffer: [UInt8] = []

    package init() {}

    /// How many more bytes the reader is willing to keep for somebody who has not said yet who it is.
    package private(set) var awaited = 0

    /// Takes in what came; the frame once it is whole.
    package mutating func append(_ bytes: [UInt8]) -> [UInt8]? {
        buffer += bytes
        guard buffer.count >= 4 else { return nil }
        let length = buffer[1..<4].reduce(0) { $0 << 8 | Int($1) }
        awaited = 4 + length - buffer.count
        return awaited <= 0 ? buffer : nil
    }
}
