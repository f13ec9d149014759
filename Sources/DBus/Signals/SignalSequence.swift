/// The signals that match one rule, in the order of their arrival.
///
/// For a single reader.
///
/// It ends when the reader's task is cancelled. It throws `DBusError` with the code `.overflow` when the reader fell
/// too far behind, after the buffered signals have been read, and `.disconnected` when the connection was lost.
package struct SignalSequence: AsyncSequence, Sendable {
    package typealias Element = Signal

    let stream: AsyncThrowingStream<Signal, any Error>

    package func makeAsyncIterator() -> Iterator {
        Iterator(base: stream.makeAsyncIterator())
    }

    package struct Iterator: AsyncIteratorProtocol {
        var base: AsyncThrowingStream<Signal, any Error>.Iterator

        package mutating func next() async throws -> Signal? {
            try await next(isolation: nil)
        }

        package mutating func next(isolation actor: isolated (any Actor)?) async throws -> Signal? {
            try await base.next(isolation: actor)
        }
    }
}
