import HandoffWire

/// An input that is read piece by piece; a read beyond its end returns zeros or nothing.
struct FuzzInput {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    var isEmpty: Bool { rest.isEmpty }

    /// Reads one byte.
    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// Reads a chunk: its length in two bytes, highest first, and that many bytes or as many as are left.
    mutating func chunk() -> [UInt8] {
        let length = Int(byte()) << 8 | Int(byte())
        defer { rest = rest.dropFirst(length) }
        return Array(rest.prefix(length))
    }

    /// Reads everything that is left.
    mutating func remainder() -> [UInt8] {
        defer { rest = [] }
        return Array(rest)
    }
}

extension FuzzInput {
    /// Reads what a peer sends next in a session: a byte and a chunk.
    ///
    /// If the byte is even, the chunk is one plaintext. If it is odd, the chunk is a message, which is padded and cut
    /// into fragments as a peer does it; the byte's other bits select the sizes.
    ///
    /// - Returns: at least one plaintext.
    mutating func plaintexts() -> [[UInt8]] {
        let form = byte()
        let content = chunk()
        guard form & 1 == 1 else { return [content] }
        let minimum = form & 2 == 0 ? MessagePadding.smallest : MessagePadding.smallestAnswer
        let fragmentBytes = form & 4 == 0 ? MessageFragmenter.defaultFragmentBytes : 50 + Int(form)
        return MessageFragmenter(fragmentBytes: fragmentBytes)
            .fragments(of: MessagePadding.pad(content, toAtLeast: minimum))
    }
}
