/// Decodes the frames in a byte stream that may be split anywhere.
///
/// After each ``append(_:)`` call ``next()`` until it returns `nil`; then at most one incomplete frame is buffered.
/// After an error the frame boundaries are lost, and every further call throws the same error.
package struct FrameDecoder: Sendable {
    private var maximumLength: Int
    private let readBytes: Int
    private var buffer: [UInt8] = []
    private var start = 0
    private var failure: WireError?

    /// Creates a decoder for frames with at most `maximumLength` bytes after the length.
    ///
    /// - Parameters:
    ///   - maximumLength: the limit of a frame, without its length.
    ///   - readBytes: the most bytes that are appended at a time; those of one SDU if it is left out.
    /// - Precondition: `maximumLength` lies in 1…``FrameCodec/maximumLength``.
    package init(maximumLength: Int, readBytes: Int = 65_535) {
        precondition((1...FrameCodec.maximumLength).contains(maximumLength), "a frame has 1 to 65535 bytes")
        self.maximumLength = maximumLength
        self.readBytes = readBytes
    }

    /// Returns a decoder with the same buffered bytes and another limit, which holds from the next frame on.
    ///
    /// - Precondition: `maximumLength` lies in 1…``FrameCodec/maximumLength``.
    package consuming func limited(to maximumLength: Int) -> FrameDecoder {
        precondition((1...FrameCodec.maximumLength).contains(maximumLength), "a frame has 1 to 65535 bytes")
        self.maximumLength = maximumLength
        return self
    }

    /// The number of buffered bytes that ``next()`` has not returned yet.
    package var bufferedBytes: Int { buffer.count - start }

    /// Appends bytes received from the channel.
    ///
    /// - Throws: ``WireError/Code/tooLarge`` when more would be buffered than one frame and what is appended at a time.
    package mutating func append(_ bytes: [UInt8]) throws(WireError) {
        if let failure { throw failure }
        guard bufferedBytes + bytes.count <= FrameCodec.lengthBytes + maximumLength + readBytes else {
            throw fail(WireError(.tooLarge, "More than one frame and one read are buffered unread."))
        }
        guard bufferedBytes > 0 else {
            (buffer, start) = (bytes, 0)
            return
        }
        buffer.removeFirst(start)
        start = 0
        buffer.append(contentsOf: bytes)
    }

    /// Returns the body of the next complete frame; `nil` when it has not been received completely.
    ///
    /// - Throws: ``WireError/Code/longFrame`` as soon as the length is above the maximum, ``WireError/Code/emptyFrame``
    ///   for an empty frame.
    package mutating func next() throws(WireError) -> [UInt8]? {
        try nextSlice().map { Array($0) }
    }

    /// Returns the body of the next complete frame as ``next()`` does, without a copy.
    package mutating func nextSlice() throws(WireError) -> ArraySlice<UInt8>? {
        if let failure { throw failure }
        guard bufferedBytes >= 2 else { return nil }
        let length = Int(buffer[start]) << 8 | Int(buffer[start + 1])
        guard length <= maximumLength else {
            throw fail(WireError(.longFrame, "A frame of \(length) bytes exceeds the limit of \(maximumLength)."))
        }
        guard length > 0 else {
            throw fail(WireError(.emptyFrame, "A frame is empty."))
        }
        guard bufferedBytes >= 2 + length else { return nil }
        start += 2 + length
        return buffer[(start - length)..<start]
    }

    private mutating func fail(_ error: WireError) -> WireError {
        failure = error
        buffer = []
        start = 0
        return error
    }
}
