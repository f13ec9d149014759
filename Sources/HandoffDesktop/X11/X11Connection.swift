import Epoll

/// A connection to an X server, for one task (X Window System Protocol, version 11).
final class X11Connection {
    /// Messages and answers to the set-up may be so long: a server describes all its screens in some KiB.
    private static let maximumBytes = 1 << 20

    /// The root window of the first screen.
    let root: UInt32

    private let stream: LocalStream
    private var unread: [UInt8] = []
    /// The lowest bits of the number of the last request.
    private var sequence: UInt16 = 0
    /// The properties that have changed since they were waited for.
    private var changed: Set<UInt32> = []

    /// Sets up a connection over a connected socket.
    ///
    /// - Throws: ``DisplayError``.
    init(_ stream: LocalStream, cookie: [UInt8]?) async throws {
        self.stream = stream
        try await stream.write(X11Request.setUp(cookie))
        var unread: [UInt8] = []
        let head = X11Message(bytes: try await Self.take(8, from: stream, &unread))
        let rest = X11Message(bytes: try await Self.take(4 * Int(head.uint16(at: 6)), from: stream, &unread))
        guard head.code == 1 else {
            let reason = String(decoding: rest.bytes.prefix(Int(head.byte(at: 1))), as: UTF8.self)
            throw DisplayError(.refused, "The display refuses the connection: \(reason)")
        }
        // "Connection Setup": 32 bytes, the name of the vendor, 8 for each format of pixmaps, and the screens.
        let vendor = (Int(rest.uint16(at: 16)) + 3) & ~3
        root = rest.uint32(at: 32 + vendor + 8 * Int(rest.byte(at: 21)))
        guard root != 0 else { throw DisplayError(.unsupported, "The display has no screen.") }
        self.unread = unread
    }

    /// Sends a request that has no reply.
    func send(_ request: X11Request) async throws {
        try await stream.write(request.encoded)
        sequence &+= 1
    }

    /// Sends a request, and returns its reply.
    ///
    /// - Throws: ``DisplayError`` with `refused` when the server answers with an error.
    func reply(to request: X11Request) async throws -> X11Message {
        try await send(request)
        while true {
            let message = try await next()
            switch message.code {
            case 0 where message.sequence == sequence:
                throw DisplayError(.refused, "The display refuses a request with error \(message.byte(at: 1)).")
            case 1 where message.sequence == sequence: return message
            case 0, 1: break
            default: note(message)
            }
        }
    }

    /// Waits until a property of the root window has changed since the last call.
    func waitForChange(of property: UInt32) async throws {
        while !changed.contains(property) { note(try await next()) }
        changed = []
    }

    private func note(_ message: X11Message) {
        guard message.code & 0x7F == X11Message.propertyNotify, message.uint32(at: 4) == root else { return }
        changed.insert(message.uint32(at: 8))
    }

    private func next() async throws -> X11Message {
        let head = try await Self.take(X11Message.size, from: stream, &unread)
        let rest = try await Self.take(X11Message.length(of: head) - X11Message.size, from: stream, &unread)
        return X11Message(bytes: head + rest)
    }

    private static func take(_ count: Int, from stream: LocalStream, _ unread: inout [UInt8]) async throws -> [UInt8] {
        guard count <= maximumBytes else {
            throw DisplayError(.unsupported, "The display sends \(count) bytes at once.")
        }
        while unread.count < count {
            let bytes = try await stream.read(atMost: max(count - unread.count, 4096))
            guard !bytes.isEmpty else { throw DisplayError(.disconnected, "The display has ended the connection.") }
            unread += bytes
        }
        defer { unread.removeFirst(count) }
        return Array(unread.prefix(count))
    }
}
