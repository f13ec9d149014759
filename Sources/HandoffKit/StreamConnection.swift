import AsyncSupport
import DBus
import Epoll
import FoundationEssentials
import Synchronization
import SystemPackage

/// The socket of a pair of streams, and the receipts by which each app learns that the other one has everything.
///
/// The daemon is asked for the receipts before the first byte is read or written: an app that takes the descriptor
/// instead uses none.
final class StreamConnection: Sendable {
    /// What the connection needs of the app's connection to Handoff.
    struct Support: Sendable {
        let reactor: Reactor
        /// Begins the use of receipts for the stream of which this is the app's end (`ConfirmStream`).
        let beginReceipts: @Sendable (UnixFD) async throws -> UnixFD
        /// Runs something for as long as the app is connected.
        let perform: @Sendable (@escaping @Sendable () async -> Void) -> Void
    }

    private enum End {
        case untouched(UnixFD)
        case open(LocalStream)
        case gone
    }

    private enum Receipts {
        case unasked
        case asked(Promise<Void>)
        case used(ReceiptSocket)
        /// The app had finished before, or the stream had broken.
        case absent
    }

    private struct State {
        var end: End
        var receipts = Receipts.unasked
        /// Whether the app has written something.
        var hasWritten = false
        /// Whether all data for the other app was written.
        var hasFinished = false
        /// Whether the end of the other app's data was read.
        var hasReadEnd = false
    }

    private let state: Mutex<State>
    private let support: Support

    init(_ descriptor: UnixFD, _ support: Support) {
        state = Mutex(State(end: .untouched(descriptor)))
        self.support = support
    }

    var hasFinished: Bool { state.withLock(\.hasFinished) }
    var hasReadEnd: Bool { state.withLock(\.hasReadEnd) }

    // MARK: Data

    /// Reads the next 1 to `count` bytes; empty at the end.
    func read(atMost count: Int) async throws -> [UInt8] {
        await askForReceipts()
        let bytes = try await stream().read(atMost: count)
        if bytes.isEmpty { state.withLock { $0.hasReadEnd = true } }
        return bytes
    }

    /// Writes all bytes.
    func write(_ bytes: [UInt8]) async throws {
        await askForReceipts()
        state.withLock { $0.hasWritten = true }
        try await stream().write(bytes)
    }

    /// Ends this app's direction.
    func finish() throws {
        let stream = try stream()
        try stream.finishWriting()
        state.withLock { state in
            state.hasFinished = true
            // The daemon begins no receipts for an app that has finished.
            if case .unasked = state.receipts { state.receipts = .absent }
        }
    }

    // MARK: Ending

    /// Waits until each app has everything that the other one wrote.
    ///
    /// - Throws: `CocoaError` when the other app has written what was not read, or does not confirm that it has
    ///   everything.
    func complete() async throws {
        await askForReceipts()
        if !hasFinished { try finish() }
        if !hasReadEnd {
            let rest = try await read(atMost: 1)
            guard rest.isEmpty else {
                abort()
                throw CocoaError(.streamBroken, "The other app has written more than was read.")
            }
        }
        let (receipts, hasWritten) = state.withLock { ($0.receipts, $0.hasWritten) }
        if case .used(let socket) = receipts {
            try socket.send()
            guard try await socket.receive() else { throw Self.unconfirmed }
        } else if hasWritten {
            throw Self.unconfirmed
        }
        let (stream, socket) = take()
        stream?.close()
        socket?.close()
    }

    private static let unconfirmed = CocoaError(
        .streamBroken,
        "The other app has not confirmed that it has everything: it ended early, or the connection was lost."
    )

    /// Ends this app's direction, and waits until the other app has ended its own, whose data nobody reads any more: data
    /// that come nevertheless break the stream.
    func leave() async {
        let (stream, socket) = take()
        guard let stream else { return }
        guard let socket, !hasReadEnd else {
            try? socket?.send()
            return stream.close()
        }
        await Self.leave(stream, socket)
    }

    /// Does what ``leave()`` does, without waiting.
    func close() {
        let (stream, socket) = take()
        guard let stream else { return }
        guard let socket, !hasReadEnd else {
            try? socket?.send()
            return stream.close()
        }
        support.perform { await Self.leave(stream, socket) }
    }

    private static func leave(_ stream: LocalStream, _ socket: ReceiptSocket) async {
        try? stream.finishWriting()
        guard (try? await stream.read(atMost: 1)) == [] else { return stream.reset() }
        try? socket.send()
        stream.close()
    }

    /// Resets the streams, so that the other app gets an error.
    func abort() {
        let (stream, socket) = take()
        stream?.reset()
        socket?.close()
    }

    /// Returns the socket for the app's own use.
    ///
    /// - Throws: `CocoaError` if it is in use or closed, or the process has no file descriptor left.
    func takeFileDescriptor() throws -> CInt {
        try state.withLock { state in
            guard case .untouched(let descriptor) = state.end, case .unasked = state.receipts else {
                throw CocoaError(
                    .streamBroken,
                    "The streams are in use or closed: take the file descriptor before using them."
                )
            }
            let number = try descriptor.duplicate()
            state.end = .gone
            return number
        }
    }

    // MARK: State

    private func stream() throws -> LocalStream {
        try state.withLock { state in
            switch state.end {
            case .open(let stream): return stream
            case .gone: throw CocoaError(.streamBroken, "The streams are closed.")
            case .untouched(let descriptor):
                let stream = try LocalStream(taking: descriptor.duplicate(), on: support.reactor)
                state.end = .open(stream)
                return stream
            }
        }
    }

    /// Returns what is open, and marks it as gone.
    private func take() -> (stream: LocalStream?, receipts: ReceiptSocket?) {
        let stream = try? stream()
        return state.withLock { state in
            state.end = .gone
            guard case .used(let socket) = state.receipts else { return (stream, nil) }
            state.receipts = .absent
            return (stream, socket)
        }
    }

    /// Begins the use of receipts, once; of two tasks that do so, one waits for the other.
    private func askForReceipts() async {
        let answer = Promise<Void>()
        let (descriptor, other): (UnixFD?, Promise<Void>?) = state.withLock { state in
            switch (state.receipts, state.end) {
            case (.unasked, .untouched(let descriptor)):
                state.receipts = .asked(answer)
                return (descriptor, nil)
            case (.asked(let other), _): return (nil, other)
            default: return (nil, nil)
            }
        }
        try? await other?.value()
        guard let descriptor else { return }
        // Without them, an app that waits for the confirmation gets an error.
        let socket = try? await ReceiptSocket(
            taking: support.beginReceipts(descriptor).duplicate(),
            on: support.reactor
        )
        state.withLock { $0.receipts = socket.map { .used($0) } ?? .absent }
        answer.fulfil(())
    }
}
