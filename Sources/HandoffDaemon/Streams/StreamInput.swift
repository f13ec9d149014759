import AsyncSupport
import HandoffCore
import HandoffWire
import Synchronization

/// What has arrived of a stream and waits for the app: a few data pieces, then the end and the other side's report.
///
/// Between the task that reads the channel and the one that writes to the app.
final class StreamInput: Sendable {
    /// A piece for the app.
    enum Element: Sendable {
        /// Data that came over the radio; the other side waits for a report.
        case radioData([UInt8])
        /// Data that came over the network: the pieces of one read.
        case networkData([[UInt8]])
        case end
        case arrived
    }

    /// The elements in order; for one reader.
    let elements: AsyncStream<Element>

    private let continuation: AsyncStream<Element>.Continuation
    /// How many reads from the network wait for the app: one is written while the next one is decrypted.
    private static let networkReads = 2

    /// Bounds the data that came over the radio.
    private let window = Mutex(StreamWindow())
    /// Bounds the data that came over the network.
    private let places = CountingSemaphore(networkReads)

    init() {
        (elements, continuation) = AsyncStream.makeStream()
    }

    /// Adds data that came over the radio.
    ///
    /// - Throws: ``HandoffError`` with `peerMisbehaved` when the other side has sent more than it may.
    func putRadioData(_ bytes: [UInt8]) throws {
        try window.withLock { try $0.add() }
        continuation.yield(.radioData(bytes))
    }

    /// Adds the pieces of one read that came over the network; waits while there is as much as fits.
    ///
    /// - Throws: `CancellationError`.
    func putNetworkData(_ pieces: [[UInt8]]) async throws {
        try await places.acquire()
        continuation.yield(.networkData(pieces))
    }

    /// Adds the end of the data, or the report that everything has arrived, which `StreamReceiver` admits once.
    func put(_ element: Element) {
        continuation.yield(element)
    }

    /// No more elements follow.
    func finish() {
        continuation.finish()
    }

    /// The app has taken a piece that came over the radio; only then the other side is told, and may send another one.
    func releaseRadioData() throws {
        try window.withLock { try $0.remove() }
    }

    /// The app has taken what one read from the network has brought.
    func releaseNetworkData() {
        places.release()
    }
}
