import DBus
import HandoffBus
private import Synchronization

/// The activity delegate of `handoffctl publish --stream`: it accepts one stream and refuses further ones.
struct StreamDelegate: ActivityDelegate {
    static let path: ObjectPath = "/org/handoffd/control"

    /// A stream that a program on another device has opened.
    struct Opened: Sendable {
        let stream: UnixFD
        let deviceName: String
    }

    private let receivedStreams: AsyncStream<Opened>
    private let newStreams: AsyncStream<Opened>.Continuation
    private let hasStream = Flag()

    init() {
        (receivedStreams, newStreams) = AsyncStream.makeStream()
    }

    /// Waits until another device opens the stream, and returns it.
    func stream() async throws -> Opened {
        for await stream in receivedStreams { return stream }
        throw CancellationError()
    }

    func didReceiveStream(
        _ stream: UnixFD,
        of activity: ObjectPath,
        from device: ObjectPath,
        named name: String
    ) throws {
        guard hasStream.set() else {
            throw HandoffErrorName.limitReached.reply("This program accepts only one stream and already has it.")
        }
        newStreams.yield(Opened(stream: stream, deviceName: name))
    }

    private final class Flag: Sendable {
        private let isSet = Mutex(false)

        /// Sets the flag; returns whether this call has set it.
        func set() -> Bool {
            isSet.withLock { isSet in
                defer { isSet = true }
                return !isSet
            }
        }
    }
}
