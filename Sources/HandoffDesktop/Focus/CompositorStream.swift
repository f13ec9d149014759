import Epoll

/// What a compositor sends over a socket, for one task; whatever that is, little of it is kept.
final class CompositorStream {
    /// How much is read at once.
    private static let piece = 1 << 16

    private let stream: LocalStream
    private var unread: [UInt8] = []

    init(_ stream: LocalStream) {
        self.stream = stream
    }

    func write(_ bytes: [UInt8]) async throws {
        try await stream.write(bytes)
    }

    /// The next `count` bytes.
    ///
    /// - Throws: ``DisplayError`` with `disconnected` when the compositor ends the connection before, `Errno`.
    func take(_ count: Int) async throws -> [UInt8] {
        while unread.count < count { try await readMore() }
        defer { unread.removeFirst(count) }
        return Array(unread.prefix(count))
    }

    /// Passes over the next `count` bytes, without keeping them.
    func pass(_ count: Int) async throws {
        var rest = count
        while rest > unread.count {
            rest -= unread.count
            unread = []
            try await readMore()
        }
        unread.removeFirst(rest)
    }

    private func readMore() async throws {
        let bytes = try await stream.read(atMost: Self.piece)
        guard !bytes.isEmpty else { throw DisplayError(.disconnected, "The compositor has ended the connection.") }
        unread += bytes
    }
}
