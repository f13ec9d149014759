import DBus
import HandoffBus

/// The activity delegate of `handoffctl publish --stream`: it accepts one stream and refuses further ones.
struct StreamDelegate: ActivityDelegate {
    static let path: ObjectPath = "/org/handoffd/control"

    private let receivedStreams: AsyncStream<UnixFD>
    private let newStreams: AsyncStream<UnixFD>.Continuation

    init() {
        (receivedStreams, newStreams) = AsyncStream.makeStream()
    }

    /// Waits until another device opens the stream, and returns it.
    func stream() async throws -> UnixFD {
        for await stream in receivedStreams {
            newStreams.finish()
            return stream
        }
        throw CancellationError()
    }

    func willSave(_ activity: ObjectPath) async throws {}

    func wasContinued(_ activity: ObjectPath, by device: ObjectPath, named name: String) {}

    func didFailToContinue(
        _ activity: ObjectPath,
        on device: ObjectPath,
        named name: String,
        _ error: String,
        _ message: String
    ) {}

    func didReceiveStream(
        _ stream: UnixFD,
        of activity: ObjectPath,
        from device: ObjectPath,
        named name: String
    ) throws {
        guard case .enqueued = newStreams.yield(stream) else {
            throw HandoffErrorName.limitReached.reply("This program accepts only one stream and already has it.")
        }
    }
}
