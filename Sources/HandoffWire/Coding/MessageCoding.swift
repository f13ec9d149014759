import SwiftProtobuf

/// The one place where bytes become protobuf messages and back.
enum MessageCoding {
    /// How deep messages may nest.
    ///
    /// That is the outermost, the activity, and three levels for each level of userInfo (dictionary, entry, value), with
    /// some to spare. The model's own limit is lower and is checked afterwards.
    static let depthLimit = 64

    /// The bytes of a message; equal messages have equal bytes.
    static func encode(_ message: some SwiftProtobuf.Message) -> [UInt8] {
        var options = BinaryEncodingOptions()
        options.useDeterministicOrdering = true
        guard let bytes: [UInt8] = try? message.serializedBytes(options: options) else {
            // Only messages with required fields or above 2 GiB cannot be written, and there are none.
            preconditionFailure("a message of handoff.v1 can always be written")
        }
        return bytes
    }

    /// The message that bytes stand for, fields that this version does not know left out.
    ///
    /// - Throws: ``WireError/Code/tooLarge`` above `limit` bytes, before anything is read;
    ///   ``WireError/Code/malformed`` when the bytes are no such message.
    static func decode<M: SwiftProtobuf.Message>(
        _ type: M.Type,
        from bytes: [UInt8],
        limit: Int
    ) throws(WireError) -> M {
        guard bytes.count <= limit else {
            throw WireError(.tooLarge, "A message of \(bytes.count) bytes is above the limit of \(limit).")
        }
        var options = BinaryDecodingOptions()
        options.messageDepthLimit = depthLimit
        options.discardUnknownFields = true
        do {
            return try M(serializedBytes: bytes, options: options)
        } catch {
            throw WireError(.malformed, "The bytes are no \(M.protoMessageName): \(error).")
        }
    }
}
