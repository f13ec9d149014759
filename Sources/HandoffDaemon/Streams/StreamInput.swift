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
        /// Data that came over the network.
        case networkData([UInt8])
        case end
        case arrived
    }

    /// The elements in order; for one reader.
    let elements: AsyncStream<Element>

    private let continuation: AsyncStream<Element>.Continuation
    private let window = Mutex(StreamWindow())
    /// The places for data pieces.
    private let places = CountingSemaphore(StreamWindow.pieces)

    init() {
        (elements, continuation) = AsyncStream.makeStream()
    }

    /// Adds data that came over the radio; never waits long, since the other side may not send more than fits.
    ///
    /// - Throws: ``HandoffError`` with `peerMisbehaved` when the other side has sent more than it may; `CancellationError`.
    func putRadioData(_ bytes: [UInt8]) async throws {
        try window.withLock { try $0.add() }
        try await places.acquire()
        continuation.yield(.radioData(bytes))
    }

    /// Adds data that came over the network; waits while there are as many pieces as fit.
    ///
    /// - Throws: `CancellationError`.
    func putNetworkData(_ bytes: [UInt8]) async throws {
        try await places.acquire()
        continuation.yield(.networkData(bytes))
    }

    /// Adds the end of the data, or the report that everything has arrived, which `StreamReceiver` admits once.
    func put(_ element: Element) {
        continuation.yield(element)
    }

    /// No more elements follow.
    func finish() {
        continuation.finish()
    }

    /// The app has taken the data of `element`: there is room for more.
    ///
    /// For data of the radio this comes before the report to the other side, which may then send another piece.
    func release(_ element: Element) throws {
        switch element {
        case .radioData: try window.withLock { try $0.remove() }
        case .networkData: break
        case .end, .arrived: return
        }
        places.release()
    }
}
