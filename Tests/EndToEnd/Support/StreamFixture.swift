import DBus
import Epoll
import Foundation
import HandoffBus
import HandoffTestSupport
import LocalStream
import Synchronization
import SystemPackage

/// An app on the laptop whose activity an app on the desktop has continued, and the streams between them.
struct StreamFixture: Sendable {
    let world: World
    /// The device on which the activity began.
    let origin: Device
    /// The program that began.
    let began: HandoffClient
    let editor: Editor
    let activity: ObjectPath
    /// The program that continues.
    let continues: HandoffClient
    /// What it calls the activity.
    let continuation: String
    let reactor: Reactor

    /// Runs `story` once the activity was continued.
    static func run(_ story: @escaping @Sendable (StreamFixture) async throws -> Void) async throws {
        try await World.runPair { world, laptop, desktop in
            try await laptop.connected { began in
                let editor = Editor { _ in }
                let streams = ["SupportsContinuationStreams": Value.boolean(true)]
                let activity = try await editor.open("org.example.talk", streams, over: began)
                let entry = try await desktop.watchingOnce()
                try await desktop.connected { continues in
                    guard let continuation = try await continues.fetch(entry).continuation else { throw NoStreams() }
                    try await Reactor.withReactor { reactor in
                        try await story(
                            StreamFixture(
                                world: world,
                                origin: laptop,
                                began: began,
                                editor: editor,
                                activity: activity,
                                continues: continues,
                                continuation: continuation,
                                reactor: reactor
                            )
                        )
                    }
                }
            }
        }
    }

    struct NoStreams: Error {}

    /// A new stream: the end of the program that continues, and that of the one that began.
    func open() async throws -> (here: LocalStream, there: LocalStream) {
        let here = try await continues.openStream(continuation)
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
    /// Everything until the end.
    func readAll() async throws(Errno) -> [UInt8] {
        var all: [UInt8] = []
        while true {
            let bytes = try await read(atMost: 65_536)
            guard !bytes.isEmpty else { return all }
            all += bytes
        }
    }

    /// The next bytes, as many as are asked for unless the end comes first.
    func read(count: Int) async throws(Errno) -> [UInt8] {
        var all: [UInt8] = []
        while all.count < count {
            let bytes = try await read(atMost: min(65_536, count - all.count))
            guard !bytes.isEmpty else { return all }
            all += bytes
        }
        return all
    }

    /// Writes everything, telling how far it has come.
    func writeInPieces(_ bytes: [UInt8], progress: Progress) async throws {
        for start in stride(from: 0, to: bytes.count, by: 16_384) {
            try await write(Array(bytes[start..<min(start + 16_384, bytes.count)]))
            progress.add(min(16_384, bytes.count - start))
        }
    }
}

/// How far a writer has come.
final class Progress: Sendable {
    private let count = Mutex(0)

    func add(_ more: Int) {
        count.withLock { $0 += more }
    }

    var bytes: Int { count.withLock { $0 } }
}
