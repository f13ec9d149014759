import AsyncSupport
import Epoll
import Glibc
import HandoffBrowser
import Synchronization
import SystemPackage

/// The two pipes to the browser: messages in, messages out.
///
/// Nothing is read ahead, so that a browser that sends faster than its messages are handled has to wait.
final class BrowserPort: Sendable {
    /// The messages that may wait for the browser to read; more are lost.
    private static let maximumWaiting = 256
    /// The time for a browser to read what was sent last.
    private static let lingerLimit = Duration.seconds(1)

    private struct Input {
        var reader = MessageReader()
        var rate = MessageRate()
    }

    private let input: ReactorDescriptor
    private let output: ReactorDescriptor
    private let state = Mutex(Input())
    private let frames: AsyncStream<[UInt8]>
    private let newFrames: AsyncStream<[UInt8]>.Continuation

    /// Takes standard input and output.
    ///
    /// - Throws: the error of epoll_ctl(2) if one of them is a file.
    init(on reactor: Reactor) throws(Errno) {
        input = try Self.nonblocking(STDIN_FILENO, on: reactor)
        output = try Self.nonblocking(STDOUT_FILENO, on: reactor)
        (frames, newFrames) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.maximumWaiting))
    }

    /// Sends messages while `body` runs, and after it those that wait, for a short time.
    ///
    /// - Throws: what `body` throws; a `BrowserError` is sent to the extension first.
    func whileWriting(_ body: () async throws -> Void) async throws {
        let write: @Sendable () async throws -> Void = { await self.write() }
        let ended = Promise<Void>()
        try await withBackgroundTasks([
            {
                try await write()
                ended.fulfil(())
            }
        ]) {
            let result: Result<Void, any Error> = await Result { try await body() }
            if case .failure(let error as BrowserError) = result { send(.error(error)) }
            newFrames.finish()
            _ = try? await withTimeout(Self.lingerLimit) { try await ended.value() }
            try result.get()
        }
    }

    /// Sends a message; without effect when the browser does not read.
    func send(_ message: HostMessage) {
        newFrames.yield(MessageReader.frame(message.encoded))
    }

    /// Waits for the first message.
    ///
    /// - Returns: the browser; nil at the end of input.
    /// - Throws: `BrowserError` if it is another message.
    func hello() async throws -> Browser? {
        guard let message = try await next() else { return nil }
        guard case .hello(let browser) = message else {
            throw BrowserError(.invalidMessage, "The first message of the extension is not \"hello\".")
        }
        return browser
    }

    /// Returns the next valid message; nil at the end of input.
    ///
    /// An invalid one is reported to the extension.
    ///
    /// - Throws: `BrowserError` for a message that is too large, too many messages, and another protocol; `Errno` when
    ///   standard input cannot be read.
    func next() async throws -> BrowserMessage? {
        while let bytes = try await nextBytes() {
            try state.withLock { state throws(BrowserError) in try state.rate.count(at: .now) }
            do throws(BrowserError) {
                return try BrowserMessage(bytes)
            } catch {
                guard error.code != .unsupportedProtocol else { throw error }
                send(.error(error))
            }
        }
        return nil
    }

    private func nextBytes() async throws -> [UInt8]? {
        while true {
            if let message = try state.withLock({ state throws(BrowserError) in try state.reader.next() }) {
                return message
            }
            let bytes = try await read()
            guard !bytes.isEmpty else { return nil }
            state.withLock { $0.reader.append(bytes) }
        }
    }

    /// Returns what can be read now; nothing at the end of input.
    private func read() async throws(Errno) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: MessageReader.maximumBytes)
        let count = try await input.whenReady(for: .reading) { (descriptor) throws(Errno) in
            try systemCall { Glibc.read(descriptor, &buffer, buffer.count) }
        }
        return Array(buffer[..<count])
    }

    private func write() async {
        for await frame in frames {
            var rest = frame[...]
            while !rest.isEmpty {
                // The browser has gone: its end of the other pipe ends the program.
                guard let count = try? await write(rest) else { return }
                rest = rest.dropFirst(count)
            }
        }
    }

    private func write(_ bytes: ArraySlice<UInt8>) async throws(Errno) -> Int {
        try await output.whenReady(for: .writing) { (descriptor) throws(Errno) in
            try systemCall { bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) } }
        }
    }

    private static func nonblocking(_ number: Int32, on reactor: Reactor) throws(Errno) -> ReactorDescriptor {
        _ = try systemCall { fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK) }
        return try ReactorDescriptor(Descriptor(owning: number), on: reactor)
    }
}
