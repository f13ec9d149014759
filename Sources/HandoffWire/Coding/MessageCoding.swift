import SwiftProtobuf

/// Encodes and decodes protobuf messages.
enum MessageCoding {
    /// The maximum nesting depth of messages.
    ///
    /// That is the outermost, the activity, and three levels for each level of userInfo (dictionary, entry, value),
    /// with some to spare. The model's own limit is lower and is checked afterwards.
    static let depthLimit = 64

    /// Returns the encoded message; equal messages have equal bytes.
    static func encode(_ message: some SwiftProtobuf.Message) -> [UInt8] {
        var options = BinaryEncodingOptions()
        options.useDeterministicOrdering = true
        guard let bytes: [UInt8] = try? message.serializedBytes(options: options) else {
            // Encoding fails only for missing required fields and above 2 GiB; handoff.v1 has neither.
            preconditionFailure("a message of handoff.v1 can always be written")
        }
        return bytes
    }

    /// Decodes a message and drops the fields that this version does not know.
    ///
    /// - Throws: ``WireError/Code/tooLarge`` above `limit` bytes, before anything is decoded;
    ///   ``WireError/Code/malformed`` when the bytes are not a message of that type.
    static func decode<M: SwiftProtobuf.Message>(
        _ type: M.Type,
        from bytes: [UInt8],
        limit: Int
    ) throws(WireError) -> M {
        guard bytes.count <= limit else {
            throw WireError(.tooLarge, "A message of \(bytes.count) bytes exceeds the limit of \(limit).")
        }
        var options = BinaryDecodingOptions()
        options.messageDepthLimit = depthLimit
        options.discardUnknownFields = true
        do {
            return try M(serializedBytes: bytes, options: options)
        } catch {
            let name = M.protoMessageName.split(separator: ".").last ?? ""
            throw WireError(.malformed, "A message (\(name)) cannot be read: \(reason(error)).")
        }
    }

    /// What is wrong with bytes that are not a message, as the rest of a sentence.
    private static func reason(_ error: any Error) -> String {
        switch error {
        case BinaryDecodingError.truncated: "it ends inside a field"
        case BinaryDecodingError.invalidUTF8: "a text in it is not UTF-8"
        case BinaryDecodingError.messageDepthLimit: "messages in it are nested too deep"
        default: "a field in it breaks the rules of Protocol Buffers"
        }
    }
}
