import AsyncSupport
import HandoffCore
import HandoffRadio
import HandoffWire
import LocalStream
import SystemPackage

/// Carries one continuation stream between an app and the channel to the other device.
///
/// Nothing waits here but the two pieces on their way: who does not read makes the one who writes wait, from app to app.
struct StreamRelay<Channel: RadioChannel>: Sendable {
    /// What the other side has said.
    private enum Progress: Int, Sendable {
        case writing, ended, arrived
    }

    let app: LocalStream
    let channel: Channel
    /// Whether this side has opened the channel: it tells last that all has arrived, and the other one closes.
    let isCaller: Bool

    private let progress = CurrentValue(Progress.writing)

    init(app: LocalStream, channel: Channel, isCaller: Bool) {
        self.app = app
        self.channel = channel
        self.isCaller = isCaller
    }

    /// Carries bytes until both apps have finished and each side knows that all has arrived.
    ///
    /// Anything else is an error for both apps, never an end: theirs is reset, and the channel closes.
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
        try await channel.sendAll(try sender.encode(.end))
        try await reached(isCaller ? .arrived : .ended)
        try await channel.sendAll(try sender.encode(.arrived))
    }

    private func receive(with receiver: StreamReceiver) async throws {
        var receiver = receiver
        // Pieces may have come together with what opened the stream.
        while let piece = try receiver.next() { try await handle(piece) }
        while let bytes = try await channel.receive() {
            try receiver.append(bytes)
            while let piece = try receiver.next() { try await handle(piece) }
            // The caller has all and knows it; the other side's closing is what it waits for, so that its own last
            // word is not lost with the channel.
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
            // An app that has closed its end does not wait for this one.
            try? app.finishWriting()
            progress.set(.ended)
        case .arrived:
            progress.set(.arrived)
        }
    }

    private func reached(_ wanted: Progress) async throws {
        var now = progress.current
        while now.value.rawValue < wanted.rawValue { now = try await progress.changed(since: now) }
    }
}
