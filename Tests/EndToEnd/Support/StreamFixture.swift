import DBus
import Epoll
import Foundation
import HandoffBus
import HandoffTestSupport
import Synchronization
import SystemPackage
import Testing

/// An app on the laptop, an app on the desktop that has continued its activity, and the streams between them.
struct StreamFixture: Sendable {
    let world: World
    /// The device that published the activity.
    let origin: Device
    /// The connection of the app that published the activity.
    let publisher: HandoffClient
    let editor: Editor
    let activity: ObjectPath
    /// The connection of the app that continued it, and its bus.
    let receiver: HandoffClient
    let receiverBus: PrivateBus
    /// The name of the continuation on the desktop.
    let continuation: String
    let reactor: Reactor

    /// Runs `story` once the activity has been continued.
    static func run(_ story: @escaping @Sendable (StreamFixture) async throws -> Void) async throws {
        try await World.runPair { world, laptop, desktop in
            try await laptop.connected { publisher in
                let editor = Editor { _ in }
                let streams = ["SupportsContinuationStreams": Value.boolean(true)]
                let activity = try await editor.open("org.example.talk", streams, over: publisher)
                try await desktop.connected { receiver in
                    let continuation = try await receiver.take()
                    try await Reactor.withReactor { reactor in
                        try await story(
                            StreamFixture(
                                world: world,
                                origin: laptop,
                                publisher: publisher,
                                editor: editor,
                                activity: activity,
                                receiver: receiver,
                                receiverBus: desktop.bus,
                                continuation: continuation,
                                reactor: reactor
                            )
                        )
                    }
                }
            }
        }
    }

    /// The same activity as it was continued by an app of a further device, over its own connection.
    func continued(by receiver: HandoffClient, on bus: PrivateBus, as continuation: String) -> StreamFixture {
        StreamFixture(
            world: world,
            origin: origin,
            publisher: publisher,
            editor: editor,
            activity: activity,
            receiver: receiver,
            receiverBus: bus,
            continuation: continuation,
            reactor: reactor
        )
    }

    /// A new stream: the end of the app that continued (`here`), and that of the app that published (`there`).
    func open() async throws -> (here: LocalStream, there: LocalStream) {
        let here = try await receiver.openStream(continuation)
        for await there in editor.streams {
            return (
                try LocalStream(taking: here.duplicate(), on: reactor),
                try LocalStream(taking: there.duplicate(), on: reactor)
            )
        }
        throw CancellationError()
    }
}

extension LocalStream {
    /// All bytes until the end of the stream.
    func readAll() async throws(Errno) -> [UInt8] {
        var all: [UInt8] = []
        while true {
            let bytes = try await read(atMost: 65_536)
            guard !bytes.isEmpty else { return all }
            all += bytes
        }
    }

    /// The next `count` bytes, or fewer if the stream ends first.
    func read(count: Int) async throws(Errno) -> [UInt8] {
        var all: [UInt8] = []
        while all.count < count {
            let bytes = try await read(atMost: min(65_536, count - all.count))
            guard !bytes.isEmpty else { return all }
            all += bytes
        }
        return all
    }

    /// Writes all bytes in pieces and counts them in `progress`.
    func writeInPieces(_ bytes: [UInt8], progress: Progress) async throws {
        for start in stride(from: 0, to: bytes.count, by: 16_384) {
            try await write(Array(bytes[start..<min(start + 16_384, bytes.count)]))
            progress.add(min(16_384, bytes.count - start))
        }
    }
}

/// The number of bytes that a writer has written.
final class Progress: Sendable {
    private let count = Mutex(0)

    func add(_ more: Int) {
        count.withLock { $0 += more }
    }

    var bytes: Int { count.withLock { $0 } }
}

extension HandoffClient {
    /// Fetches the only activity nearby, to go on with it; returns the name of its continuation.
    ///
    /// The daemon scans all the time until the client has gone: a device that has just been trusted changes its address,
    /// and cannot be dialled before it is heard there.
    func take() async throws -> String {
        try await startLooking()
        let entry = try await first { try await objects().nearby.first?.path }
        return try #require(try await fetch(entry, for: .take).continuation)
    }

    /// Waits until the daemon trusts that many devices.
    func waitForDevices(_ count: Int) async throws {
        try await first { try await objects().devices.count == count ? () : nil }
    }
}
