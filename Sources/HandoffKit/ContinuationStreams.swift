import DBus
import Epoll
import FoundationEssentials
import HandoffBus
import LocalStream
import Synchronization
import SystemPackage

/// A pair of byte streams between the app that published an activity and an app that continues it.
///
/// ```swift
/// try await activity.withContinuationStreams { streams in
///     try await streams.output.write(Array("page 7\n".utf8))
///     try streams.output.finish()
///     for try await bytes in streams.input { show(bytes) }
/// }
/// ```
///
/// The number of bytes is not limited; a slow reader makes the writer wait. A stream that was interrupted never looks
/// complete: reading and writing then throw ``HandoffReason/streamBroken``, from the first error on in both directions.
/// The same happens to the other app when this one releases the streams without calling ``close()`` or `finish()`, and
/// when it dies.
public final class ContinuationStreams: Sendable {
    private enum End {
        case untouched(UnixFD)
        case open(LocalStream)
        case gone
    }

    private let end: Mutex<End>
    /// Whether `finish()` was called: all data for the other app was written.
    private let hasFinished = Mutex(false)
    private let reactor: Reactor

    init(_ descriptor: UnixFD, on reactor: Reactor) {
        end = Mutex(.untouched(descriptor))
        self.reactor = reactor
    }

    deinit {
        if hasFinished.withLock({ $0 }) { close() } else { abort() }
    }

    /// The bytes that the other app writes, in chunks as they arrive.
    public var input: Input { Input(streams: self) }

    /// The direction to the other app.
    public var output: Output { Output(streams: self) }

    /// Closes both streams; bytes written before still arrive.
    ///
    /// Closing before the end of ``input`` was read breaks the stream for the other app.
    public func close() {
        take()?.close()
    }

    /// Resets both streams, so that the other app gets an error instead of an end.
    public func abort() {
        take()?.reset()
    }

    /// Returns the connected socket, in blocking mode, for use in place of `input` and `output`.
    ///
    /// End of file means that the other app has finished, `ECONNRESET` that the stream broke; so does end of file after
    /// a failed write, since Linux reports a reset only once. `shutdown` with `SHUT_WR` finishes this side. Closing the
    /// descriptor before that breaks the stream for the other app; closing it after that too, while bytes wait to be
    /// sent, unless `SO_LINGER` was turned off before.
    ///
    /// - Returns: a file descriptor that the caller has to close.
    /// - Throws: `CocoaError` if the streams were used or closed before, or the process has no file descriptor left.
    public func takeFileDescriptor() throws -> CInt {
        try end.withLock { end in
            guard case .untouched(let descriptor) = end else {
                throw CocoaError(
                    .streamBroken,
                    "The streams are in use or closed: take the file descriptor before using them."
                )
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

    /// Returns the stream and marks it as gone.
    private func take() -> LocalStream? {
        let stream = try? stream()
        end.withLock { $0 = .gone }
        return stream
    }
}

extension ContinuationStreams {
    /// The bytes that the other app writes; at most one task may read at a time.
    public struct Input: AsyncSequence, Sendable {
        fileprivate let streams: ContinuationStreams

        /// Reads the next 1 to `count` bytes; empty when the other app has finished.
        ///
        /// - Throws: `CocoaError` when the stream broke or the task was cancelled.
        public nonisolated(nonsending) func read(atMost count: Int = 65_536) async throws -> [UInt8] {
            do {
                return try await streams.stream().read(atMost: count)
            } catch {
                throw CocoaError(any: error)
            }
        }

        /// Reads all bytes until the other app has finished.
        ///
        /// - Throws: `CocoaError` when there is more than `limit`, the stream broke, or the task was cancelled.
        public nonisolated(nonsending) func readAll(limit: Int) async throws -> [UInt8] {
            var all: [UInt8] = []
            for try await bytes in self {
                all += bytes
                guard all.count <= limit else {
                    throw CocoaError(.payloadTooLarge, "The other app has written more than \(limit) bytes.")
                }
            }
            return all
        }

        public func makeAsyncIterator() -> Iterator { Iterator(input: self) }

        /// Reads chunk by chunk.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let input: Input

            /// Reads the next chunk; nil when the other app has finished.
            ///
            /// - Throws: `CocoaError` when the stream broke or the task was cancelled.
            public nonisolated(nonsending) func next() async throws -> [UInt8]? {
                let bytes = try await input.read()
                return bytes.isEmpty ? nil : bytes
            }
        }
    }

    /// The direction to the other app; at most one task may write at a time.
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

        /// Ends this direction: the other app reads end of file once it has read all bytes before it.
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
    /// Opens streams to the app on the origin device of this activity; each call opens a new pair.
    ///
    /// This is possible as long as the activity exists on that device, and takes about half a second.
    ///
    /// - Throws: `CocoaError`, whose `handoffReason` is ``HandoffReason/streamsNotSupported`` if the app accepts no
    ///   streams, ``HandoffReason/continuationEnded`` if the activity has ended there,
    ///   ``HandoffReason/peerUnreachable`` if the device is out of range, and ``HandoffReason/noDaemon`` if there is no
    ///   daemon.
    public nonisolated(nonsending) func getContinuationStreams() async throws -> ContinuationStreams {
        guard originDeviceName != nil else {
            throw CocoaError(.notContinued, "The activity began on this device: receive streams in its delegate.")
        }
        guard let continuation else {
            throw CocoaError(.streamsNotSupported, "The app that published the activity accepts no streams.")
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

    /// Opens streams to the app on the origin device of this activity, and closes them when `body` returns.
    ///
    /// When `body` throws, the streams are reset: the other app gets an error instead of an end.
    ///
    /// - Throws: what ``getContinuationStreams()`` and `body` throw.
    public nonisolated(nonsending) func withContinuationStreams<Success>(
        _ body: nonisolated(nonsending) (ContinuationStreams) async throws -> Success
    ) async throws -> Success {
        let streams = try await getContinuationStreams()
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
