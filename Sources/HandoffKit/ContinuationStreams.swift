import DBus
import Epoll
import FoundationEssentials
import HandoffBus
import LocalStream
import Synchronization
import SystemPackage

/// Both directions of a conversation between the app that began an activity and one that continues it.
///
/// ```swift
/// try await activity.withContinuationStreams { streams in
///     try await streams.output.write(Array("page 7\n".utf8))
///     try streams.output.finish()
///     for try await bytes in streams.input { show(bytes) }
/// }
/// ```
///
/// Any number of bytes goes through: a reader that is slow makes the writer wait. A conversation that ended too early never
/// looks like one that is complete: reading and writing then throw ``HandoffReason/streamBroken``. So it is for the other app
/// when this one lets go of the streams without ``close()`` or `finish()`.
public final class ContinuationStreams: Sendable {
    private enum End {
        case untouched(UnixFD)
        case open(LocalStream)
        case gone
    }

    private let end: Mutex<End>
    /// Whether everything was written that the other app should get.
    private let hasFinished = Mutex(false)
    private let reactor: Reactor

    init(_ descriptor: UnixFD, on reactor: Reactor) {
        end = Mutex(.untouched(descriptor))
        self.reactor = reactor
    }

    deinit {
        if hasFinished.withLock({ $0 }) { close() } else { abort() }
    }

    /// What the other app writes, in pieces as they come.
    public var input: Input { Input(streams: self) }

    /// What the other app reads.
    public var output: Output { Output(streams: self) }

    /// Ends the conversation; what was written still arrives.
    ///
    /// Closing before the other app's end was read breaks the stream for that one.
    public func close() {
        take()?.close()
    }

    /// Ends the conversation so that the other app gets an error, and not an end.
    public func abort() {
        take()?.reset()
    }

    /// Gives the connected socket away, in blocking mode, instead of using `input` and `output`.
    ///
    /// Reading an end means that the other app has finished, `ECONNRESET` that the stream broke; `shutdown` with `SHUT_WR`
    /// finishes this side.
    ///
    /// - Returns: a file descriptor that the caller closes.
    /// - Throws: `CocoaError` when the streams have been used or closed, or the process has no descriptor left.
    public func takeFileDescriptor() throws -> CInt {
        try end.withLock { end in
            guard case .untouched(let descriptor) = end else {
                throw CocoaError(.streamBroken, "The streams are in use, or closed: take the descriptor before.")
            }
            do {
                let number = try descriptor.duplicate()
                end = .gone
                return number
            } catch {
                throw CocoaError(any: error)
            }
        }
    }

    fileprivate func finish() throws {
        try stream().finishWriting()
        hasFinished.withLock { $0 = true }
    }

    fileprivate func stream() throws -> LocalStream {
        try end.withLock { end in
            switch end {
            case .open(let stream): return stream
            case .gone: throw CocoaError(.streamBroken, "The streams are closed.")
            case .untouched(let descriptor):
                let stream = try LocalStream(taking: descriptor.duplicate(), on: reactor)
                end = .open(stream)
                return stream
            }
        }
    }

    /// The stream, which is nobody's after this.
    private func take() -> LocalStream? {
        let stream = try? stream()
        end.withLock { $0 = .gone }
        return stream
    }
}

extension ContinuationStreams {
    /// What the other app writes: at most one task reads at a time.
    public struct Input: AsyncSequence, Sendable {
        fileprivate let streams: ContinuationStreams

        /// The next 1 to `count` bytes; none when the other app has finished.
        ///
        /// - Throws: `CocoaError` when the stream broke or the task was cancelled.
        public nonisolated(nonsending) func read(atMost count: Int = 65_536) async throws -> [UInt8] {
            do {
                return try await streams.stream().read(atMost: count)
            } catch {
                throw CocoaError(any: error)
            }
        }

        /// Everything until the other app has finished.
        ///
        /// - Throws: `CocoaError` when there is more than `limit`, the stream broke, or the task was cancelled.
        public nonisolated(nonsending) func readAll(limit: Int) async throws -> [UInt8] {
            var all: [UInt8] = []
            for try await bytes in self {
                all += bytes
                guard all.count <= limit else {
                    throw CocoaError(.payloadTooLarge, "The other app writes more than \(limit) bytes.")
                }
            }
            return all
        }

        public func makeAsyncIterator() -> Iterator { Iterator(input: self) }

        /// Reads piece by piece.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let input: Input

            /// The next piece; nil when the other app has finished.
            ///
            /// - Throws: `CocoaError` when the stream broke or the task was cancelled.
            public nonisolated(nonsending) func next() async throws -> [UInt8]? {
                let bytes = try await input.read()
                return bytes.isEmpty ? nil : bytes
            }
        }
    }

    /// What the other app reads: at most one task writes at a time.
    public struct Output: Sendable {
        fileprivate let streams: ContinuationStreams

        /// Writes all bytes, waiting while the other app does not read.
        ///
        /// - Throws: `CocoaError` when the stream broke or the task was cancelled; some may have been written.
        public nonisolated(nonsending) func write(_ bytes: [UInt8]) async throws {
            do {
                try await streams.stream().write(bytes)
            } catch {
                throw CocoaError(any: error)
            }
        }

        /// Says that no more is written: the other app reads an end once it has read all before it.
        ///
        /// - Throws: `CocoaError` when the stream is closed or broke.
        public func finish() throws {
            do {
                try streams.finish()
            } catch {
                throw CocoaError(any: error)
            }
        }
    }
}

extension UserActivity {
    /// Opens a stream to the app on the other device with which this activity began; each call opens another one.
    ///
    /// It works as long as the activity exists there, and takes about half a second.
    ///
    /// - Throws: `CocoaError`, of which `handoffReason` tells apart that the app takes no streams
    ///   (``HandoffReason/streamsNotSupported``), that the activity has ended there (``HandoffReason/continuationEnded``),
    ///   that the device is out of range (``HandoffReason/peerUnreachable``), and that there is no daemon
    ///   (``HandoffReason/noDaemon``).
    public nonisolated(nonsending) func continuationStreams() async throws -> ContinuationStreams {
        guard originDeviceName != nil else {
            throw CocoaError(.notContinued, "The activity began here: wait for streams in its delegate.")
        }
        guard let continuation else {
            throw CocoaError(.streamsNotSupported, "The app that began the activity takes no streams.")
        }
        guard let connection = handoff.publisher.connection else {
            throw handoff.unavailability ?? CocoaError(.noDaemon, "There is no connection to the bus.")
        }
        do {
            let descriptor = try await HandoffClient(connection: connection).openStream(continuation)
            return ContinuationStreams(descriptor, on: handoff.reactor)
        } catch {
            throw CocoaError(any: error)
        }
    }

    /// Talks with the app with which this activity began, and ends the conversation when `body` returns.
    ///
    /// When `body` throws, the other app gets an error instead of an end.
    ///
    /// - Throws: what ``continuationStreams()`` and `body` throw.
    public nonisolated(nonsending) func withContinuationStreams<Success>(
        _ body: nonisolated(nonsending) (ContinuationStreams) async throws -> Success
    ) async throws -> Success {
        let streams = try await continuationStreams()
        do {
            let result = try await body(streams)
            streams.close()
            return result
        } catch {
            streams.abort()
            throw error
        }
    }
}
