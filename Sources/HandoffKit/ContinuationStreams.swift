import DBus
import FoundationEssentials
import HandoffBus

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
///
/// That bytes were written does not mean that they have arrived: ``complete()`` waits for that.
public final class ContinuationStreams: Sendable {
    private let connection: StreamConnection

    init(_ descriptor: UnixFD, _ support: StreamConnection.Support) {
        connection = StreamConnection(descriptor, support)
    }

    deinit {
        if connection.hasFinished { close() } else { abort() }
    }

    /// The bytes that the other app writes, in chunks as they arrive.
    public var input: Input { Input(streams: self) }

    /// The direction to the other app.
    public var output: Output { Output(streams: self) }

    /// Finishes, if that was not done before, and waits until each app has everything that the other one wrote.
    ///
    /// To be called when this app has read ``input`` to its end, or expects nothing, and has put what it read in its
    /// place: the other app learns then that it has arrived. Whatever was written is taken by an app that uses this
    /// library when it has read all of it and left its own streams without an error.
    ///
    /// - Throws: `CocoaError` with ``HandoffReason/streamBroken`` when the other app has written what was not read, or
    ///   does not confirm that it has everything, or the task was cancelled.
    public nonisolated(nonsending) func complete() async throws {
        do {
            try await connection.complete()
        } catch {
            throw CocoaError(any: error)
        }
    }

    /// Closes both streams; bytes written before still arrive, as long as the app is connected to Handoff.
    ///
    /// What the other app writes afterwards breaks the stream for it.
    public func close() {
        connection.close()
    }

    /// Resets both streams, so that the other app gets an error instead of an end.
    public func abort() {
        connection.abort()
    }

    /// Ends the streams after their use: waits for the other app as ``complete()`` does, if its end was read; otherwise
    /// only for its end.
    func end() async throws {
        if connection.hasReadEnd { try await complete() } else { await connection.leave() }
    }

    /// Returns the connected socket, in blocking mode, for use in place of `input` and `output`.
    ///
    /// End of file means that the other app has finished, `ECONNRESET` that the stream broke; so does end of file after
    /// a failed write, since Linux reports a reset only once. `shutdown` with `SHUT_WR` finishes this side. Closing the
    /// descriptor before that breaks the stream for the other app; closing it after that too, while bytes wait to be
    /// sent, unless `SO_LINGER` was turned off before. Nothing tells that what was written has arrived.
    ///
    /// - Returns: a file descriptor that the caller has to close.
    /// - Throws: `CocoaError` if the streams were used or closed before, or the process has no file descriptor left.
    public func takeFileDescriptor() throws -> CInt {
        do {
            return try connection.takeFileDescriptor()
        } catch {
            throw CocoaError(any: error)
        }
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
                return try await streams.connection.read(atMost: count)
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
                try await streams.connection.write(bytes)
            } catch {
                throw CocoaError(any: error)
            }
        }

        /// Ends this direction: the other app reads end of file once it has read all bytes before it.
        ///
        /// - Throws: `CocoaError` when the stream is closed or broke.
        public func finish() throws {
            do {
                try streams.connection.finish()
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
            return ContinuationStreams(descriptor, handoff.streamSupport)
        } catch {
            throw CocoaError(any: error)
        }
    }

    /// Opens streams to the app on the origin device of this activity, and ends them when `body` returns: with
    /// ``ContinuationStreams/complete()`` if the other app's end was read; otherwise when the other app has ended, or
    /// writes what nobody reads any more.
    ///
    /// When `body` throws, the streams are reset: the other app gets an error instead of an end.
    ///
    /// - Throws: what ``getContinuationStreams()``, `body` and ``ContinuationStreams/complete()`` throw.
    public nonisolated(nonsending) func withContinuationStreams<Success>(
        _ body: nonisolated(nonsending) (ContinuationStreams) async throws -> Success
    ) async throws -> Success {
        let streams = try await getContinuationStreams()
        do {
            let result = try await body(streams)
            try await streams.end()
            return result
        } catch {
            streams.abort()
            throw error
        }
    }
}
