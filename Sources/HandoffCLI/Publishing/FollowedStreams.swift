import AsyncSupport
import DBus
import Epoll
import HandoffBus
private import Synchronization
import SystemPackage

/// The streams of `handoffctl publish --follow`: each device that opens one gets what the program writes for it.
///
/// The program writes into a file of its own for each, so that an editor never waits for another device.
final class FollowedStreams: Sendable {
    /// How many devices may have a stream at once.
    private static let maximumStreams = 4
    /// How long the program may take to write.
    private static let patience = Duration.seconds(10)

    private struct Opened: Sendable {
        let number: Int
        let stream: UnixFD
        let device: ObjectPath
        let deviceName: String
        let answer = Promise<Void>()
    }

    private struct State {
        var lastNumber = 0
        /// Those that have not ended.
        var open: [Int: Opened] = [:]
    }

    private let client: HandoffClient
    private let output: Output
    private let state = Mutex(State())
    private let streams: AsyncStream<Opened>
    private let newStreams: AsyncStream<Opened>.Continuation

    init(over client: HandoffClient, _ output: Output) {
        self.client = client
        self.output = output
        (streams, newStreams) = AsyncStream.makeStream()
    }

    /// Takes a stream that a device has opened.
    ///
    /// - Throws: an error for the device when too many are open.
    func open(_ stream: UnixFD, from device: ObjectPath, named name: String) throws {
        let opened: Opened? = state.withLock { state in
            guard state.open.count < Self.maximumStreams else { return nil }
            state.lastNumber += 1
            let opened = Opened(number: state.lastNumber, stream: stream, device: device, deviceName: name)
            state.open[opened.number] = opened
            return opened
        }
        guard let opened else {
            throw HandoffErrorName.limitReached.reply("Too many devices have a stream at once: try again later.")
        }
        newStreams.yield(opened)
    }

    /// Notes that the program has written what a stream carries.
    ///
    /// - Returns: false if no stream of that number waits for it.
    func answer(_ number: Int) -> Bool {
        state.withLock { $0.open[number] }?.answer.fulfil(()) ?? false
    }

    /// Serves the streams until it is cancelled, which breaks those that are open.
    func run() async throws {
        try await withThrowingDiscardingTaskGroup { group in
            for await opened in streams {
                group.addTask { [self] in
                    defer { state.withLock { $0.open[opened.number] = nil } }
                    try await serve(opened)
                }
            }
        }
        throw CancellationError()
    }

    private func serve(_ opened: Opened) async throws {
        do {
            let content = try await FollowedContent.withNew { content in
                try show("streamOpened", opened, path: content.path, "\(printable(opened.deviceName)) opens a stream")
                let isAnswered: Void? = try await withTimeout(Self.patience) { try await opened.answer.value() }
                guard isAnswered != nil else { throw FollowedContent.Failure.late }
                return try content.bytes()
            }
            try await Self.send(content, to: opened.stream, try await receipts(of: opened.stream))
            try show("streamEnded", opened, "\(printable(opened.deviceName)) has the whole stream")
        } catch let failure as FollowedContent.Failure {
            try show("streamFailed", opened, message: failure.message, "the stream has failed: \(failure.message)")
        }
    }

    private func show(
        _ name: String,
        _ opened: Opened,
        path: String? = nil,
        message: String? = nil,
        _ text: String
    ) throws {
        var event = PublishEvent(name)
        event.stream = opened.number
        event.path = path
        event.device = opened.device.lastElement
        event.deviceName = opened.deviceName
        event.message = message
        try output.print(event, text)
    }

    // MARK: Sending

    /// Begins the use of receipts for a stream.
    private func receipts(of stream: UnixFD) async throws -> BlockingReceipts {
        do {
            return try await BlockingReceipts(for: stream, from: client)
        } catch is DBusError {
            // The stream has broken already, or the daemon has gone.
            throw FollowedContent.Failure.broken
        }
    }

    /// Sends bytes on a thread of its own, since the socket blocks, and waits until the other side has all of them.
    private static func send(_ bytes: [UInt8], to stream: UnixFD, _ receipts: BlockingReceipts) async throws {
        let end = Promise<Bool>()
        do throws(Errno) {
            _ = try BlockingThread { end.fulfil(transmit(bytes, to: BlockingStream(stream), receipts)) }
        } catch {
            throw FollowedContent.Failure.unreadable(error)
        }
        guard try await end.value() else { throw FollowedContent.Failure.broken }
    }

    /// Sends bytes, and waits until the other side has all of them.
    ///
    /// - Returns: false if the stream has ended with an error, or the other side has sent something or confirmed nothing.
    private static func transmit(
        _ bytes: [UInt8],
        to stream: BlockingStream,
        _ receipts: BlockingReceipts
    ) -> Bool {
        do throws(Errno) {
            try stream.send(bytes[...])
            try stream.finishSending()
            guard try stream.receive(atMost: 1).isEmpty else { return false }
            try receipts.give()
            guard try receipts.wait() else { return false }
        } catch {
            return false
        }
        stream.complete()
        return true
    }
}
