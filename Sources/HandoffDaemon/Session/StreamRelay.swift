import AsyncSupport
import HandoffCore
import HandoffRadio
import HandoffWire
import LocalStream
import SystemPackage

/// Transfers one continuation stream between an app and the channel to the other device.
///
/// Nothing is buffered here except the two pieces in transfer: an app that does not read blocks the app that writes.
struct StreamRelay: Sendable {
    /// What the other side has sent so far.
    private enum Progress: Int, Sendable {
        case writing, ended, arrived
    }

    let app: LocalStream
    let channel: any RadioChannel
    /// Whether this side opened the channel: it is the last to confirm that all has arrived, and the other side then
    /// closes.
    let isCaller: Bool

    private let progress = CurrentValue(Progress.writing)
    /// Whether the app of this side has finished writing.
    private let hasAppFinished = CurrentValue(false)

    init(app: LocalStream, channel: any RadioChannel, isCaller: Bool) {
        self.app = app
        self.channel = channel
        self.isCaller = isCaller
    }

    /// Transfers bytes until both apps have finished and each side knows that everything has arrived.
    ///
    /// Any other end is an error for both apps, never an end of file: their sockets are reset, and the channel closes.
    ///
    /// - Throws: `RadioError`, `HandoffError`, `Errno`, or `CancellationError`.
    func run(_ sender: StreamSender, _ receiver: StreamReceiver) async throws {
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                defer { group.cancelAll() }
                group.addTask { try await send(with: sender) }
                group.addTask { try await receive(with: receiver) }
                for try await _ in group {}
            }
            app.close()
        } catch {
            app.reset()
            throw error
        }
    }

    private func send(with sender: StreamSender) async throws {
        var sender = sender
        while true {
            let bytes = try await app.read(atMost: StreamPiece.maximumDataBytes)
            guard !bytes.isEmpty else { break }
            try await channel.sendAll(try sender.encode(.data(bytes)))
        }
        hasAppFinished.set(true)
        try await channel.sendAll(try sender.encode(.end))
        try await reached(isCaller ? .arrived : .ended)
        try await channel.sendAll(try sender.encode(.arrived))
    }

    private func receive(with receiver: StreamReceiver) async throws {
        var receiver = receiver
        // Pieces may have arrived together with the message that opened the stream.
        while let piece = try receiver.next() { try await handle(piece) }
        while let bytes = try await channel.receive() {
            try receiver.append(bytes)
            while let piece = try receiver.next() { try await handle(piece) }
            // The caller has everything and knows it; it waits until this side closes, so that its last message is not
            // discarded with the channel.
            if !isCaller, progress.value == .arrived { return }
        }
        guard progress.value == .arrived else {
            throw RadioError(.channelClosed, "the other device closed the channel before the stream had ended")
        }
    }

    private func handle(_ piece: StreamPiece) async throws {
        switch piece {
        case .data(let bytes):
            try await app.write(bytes)
        case .end:
            // An app that has finished before learns with this end that all of its bytes have arrived; so it waits for
            // the confirmation. Any other app may need the end in order to answer.
            if !hasAppFinished.value { finishWriting() }
            progress.set(.ended)
        case .arrived:
            finishWriting()
            progress.set(.arrived)
        }
    }

    /// Passes the end of the other app's bytes on to the app.
    private func finishWriting() {
        // An app that has closed its end does not read any more; the error is ignored.
        try? app.finishWriting()
    }

    private func reached(_ wanted: Progress) async throws {
        var now = progress.current
        while now.value.rawValue < wanted.rawValue { now = try await progress.changed(since: now) }
    }
}
