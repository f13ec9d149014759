import DBus
import HandoffBus

/// The app behind `handoffctl publish --stream`: it takes one stream, and no others.
struct StreamHost: ActivityDelegate {
    static let path: ObjectPath = "/org/handoffd/control"

    private let arrivals: AsyncStream<UnixFD>
    private let newArrivals: AsyncStream<UnixFD>.Continuation

    init() {
        (arrivals, newArrivals) = AsyncStream.makeStream()
    }

    /// The stream, once another device has opened it.
    func stream() async throws -> UnixFD {
        for await stream in arrivals {
            newArrivals.finish()
            return stream
        }
        throw CancellationError()
    }

    func willSave(_ activity: ObjectPath) async throws {}

    func wasContinued(_ activity: ObjectPath, by device: ObjectPath, named name: String) {}

    func didReceiveStream(
        _ stream: UnixFD,
        of activity: ObjectPath,
        from device: ObjectPath,
        named name: String
    ) throws {
        guard case .enqueued = newArrivals.yield(stream) else {
            throw HandoffErrorName.limitReached.reply("This program takes one stream, and has it.")
        }
    }
}
