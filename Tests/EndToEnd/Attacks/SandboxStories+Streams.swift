import DBus
import Epoll
import Foundation
import HandoffAttackModel
import HandoffBus
import HandoffModel
import HandoffTestSupport
import Testing

extension SandboxStories {
    @Test("An app that has continued an activity opens no stream to another app with its continuation")
    func streamsOfOthers() async throws {
        try await World.runPair { _, laptop, desktop in
            try await laptop.connected { first in
                try await laptop.connected { second in
                    let editor = Editor { _ in }
                    try await desktop.connected { app in
                        let own = try await Self.take(Self.publish("own", by: Editor { _ in }, over: first), over: app)
                        let other = try await Self.take(Self.publish("other", by: editor, over: second), over: app)
                        for guess in try Self.guesses(from: own) {
                            let outcome = await Result {
                                try await app.callAsApp(
                                    HandoffName.root,
                                    HandoffName.managerInterface,
                                    "OpenStream",
                                    [.string(guess), .noOptions]
                                )
                            }
                            #expect(outcome.errorName == "ContinuationEnded", "\(guess)")
                        }
                        // The first stream that reaches the other app is that of the app which has continued it.
                        try await Self.expectFirstStream(of: editor, toBe: try await app.openStream(other))
                    }
                }
            }
        }
    }

    @Test(
        "Under the name for apps, one answer that names no folder stands for all files that cannot be opened elsewhere"
    )
    func files() async throws {
        try await World.run { world in
            try await world.withDevice("laptop") { laptop in
                try world.write("x", to: "docs/a.txt")
                let folder = world.directory.appending(path: "docs")
                let added = try await laptop.run("folders", "add", "docs", folder.path())
                #expect(added.status == 0)
                let paths = ["/etc/hostname", "/etc/none", folder.appending(path: "none").path()]
                try await laptop.connected { app in
                    let (asApp, asUser) = (
                        try await Self.answers(about: paths, to: app, at: HandoffName.bus),
                        try await Self.answers(about: paths, to: app, at: HandoffName.control)
                    )
                    let names = asApp.count { $0.contains(folder.path()) || $0.contains("docs") }
                    measured(
                        .filesOutsideSandbox,
                        onModel: "\(Set(asUser).count / 2) answers for 3 paths; "
                            + (asUser.contains { $0.contains("docs (") } ? "all folders are named" : "none is named"),
                        here: "\(Set(asApp).count / 2) answer for 3 paths; \(names) folders are named"
                    )
                }
            }
        }
    }

    /// What the daemon tells of each path: the error of an activity with such a file, and the problem of one whose document
    /// it is.
    private static func answers(
        about paths: [String],
        to app: HandoffClient,
        at name: BusName
    ) async throws -> [String] {
        var answers: [String] = []
        for path in paths {
            for key in ["file", Activity.documentURLKey] {
                let userInfo = UserInfoCoding.value(of: [key: .url("file://\(path)")])
                let outcome = await Result {
                    let arguments: [Value] = [.string("org.example.edit"), ["UserInfo": userInfo].value, .noOptions]
                    let reply = try await app.callAsApp(
                        HandoffName.root,
                        HandoffName.managerInterface,
                        "CreateActivity",
                        arguments,
                        to: name
                    )
                    return try await app.connection.property(
                        of: name,
                        at: try reply.decode(at: 0, as: ObjectPath.self),
                        interface: HandoffName.activityInterface,
                        name: "DocumentProblem"
                    ).string ?? ""
                }
                switch outcome {
                case .success(let problem): answers.append("problem: \(problem)")
                case .failure: answers.append("\(outcome.errorName): \(outcome.errorMessage)")
                }
            }
        }
        // A path is what the app itself has named.
        return zip(paths.flatMap { [$0, $0] }, answers).map { path, answer in answer.replacing(path, with: "FILE") }
    }

    /// Publishes an activity that accepts streams, and returns its type.
    private static func publish(
        _ name: String,
        by editor: Editor,
        over client: HandoffClient
    ) async throws -> String {
        let streams = ["SupportsContinuationStreams": Value.boolean(true)]
        _ = try await editor.open("org.example.\(name)", streams, over: client)
        return "org.example.\(name)"
    }

    /// Fetches the activity of that type to go on with it, as soon as it is nearby; returns its continuation.
    private static func take(_ type: String, over client: HandoffClient) async throws -> String {
        try await client.startLooking()
        return try await client.first {
            guard let entry = try await client.objects().nearby.first?.path,
                let fetched = try? await client.fetch(entry, for: .take), fetched.activity.type.rawValue == type
            else { return nil }
            return fetched.continuation
        }
    }

    /// What an app may make of its continuation: numbers beside its own, and such as differ in few bits.
    private static func guesses(from continuation: String) throws -> [String] {
        let parts = continuation.split(separator: ".")
        let own = try #require(UInt64(parts[1]))
        let steps: [UInt64] = [1, 2, 3, 4]
        let tokens = steps.map { own &+ $0 } + steps.map { own &- $0 } + [own ^ 1 << 32, own & 0xFFFF_FFFF, 1, 2]
        return tokens.map { "\(parts[0]).\($0)" }
    }

    private static func expectFirstStream(of editor: Editor, toBe stream: UnixFD) async throws {
        try await Reactor.withReactor { reactor in
            for await received in editor.streams {
                let here = try LocalStream(taking: stream.duplicate(), on: reactor)
                let there = try LocalStream(taking: received.duplicate(), on: reactor)
                try await here.write([42])
                #expect(try await there.read(atMost: 10) == [42])
                return
            }
        }
    }
}
