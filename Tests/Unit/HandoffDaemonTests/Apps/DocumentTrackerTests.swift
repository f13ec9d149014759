import DBus
import Epoll
import Foundation
import HandoffCore
import HandoffCrypto
@testable import HandoffDaemon
import HandoffModel
import HandoffWire
import SystemPackage
import Testing
import TestLimits

@Suite("The engine sends the address of a document, or the reason why it cannot", .endsWithin(minutes: 10))
struct DocumentTrackerTests {
    /// Runs `body` with a world whose folder `docs` is an empty directory.
    private static func run(_ body: @escaping (EngineWorld, _ docs: URL) async throws -> Void) async throws {
        try await EngineWorld.runReady { world, _ in
            try await withTemporaryDirectory { path in
                let id = try FolderID("docs")
                var folders = SyncedFolders()
                folders[id] = try SyncedFolder(id: id, path: path.string)
                world.engine.desktop.setFolders(folders)
                try await body(world, URL(filePath: path.string))
            }
        }
    }

    private static func activity(_ document: URL) throws -> Activity {
        let url = try FileURL(path: Array(document.path(percentEncoded: false).utf8)).description
        return try Activity(
            type: ActivityType("org.example.edit"),
            userInfo: [Activity.documentURLKey: .url(url)]
        )
    }

    @Test("A document in a folder is sent under the folder's name; once it has left, the answer is a refusal")
    func answers() async throws {
        try await Self.run { world, docs in
            let file = docs.appending(path: "a.txt")
            try Data("x".utf8).write(to: file)
            let activity = try Self.activity(file)
            let problem = try world.engine.desktop.documentProblem(of: activity)
            #expect(problem == nil)
            let id = try world.engine.activities.create(activity, isEligible: true, by: ":1.1")
            try world.engine.activities.becomeCurrent(id, by: ":1.1")
            let request = FetchRequest(number: try #require(world.advertisedNumber))
            let prepared = try await world.engine.sessions.answer(to: request)
            guard case .activity(let shared) = prepared.answer else {
                return #expect(Bool(false), "\(prepared.answer)")
            }
            #expect(shared.documentURL == "handoff-folder:docs/a.txt")
            try FileManager.default.removeItem(at: file)
            let late = try await world.engine.sessions.answer(to: request)
            guard case .refusal(let refusal) = late.answer else { return #expect(Bool(false), "\(late.answer)") }
            #expect(refusal.code == .documentNotShared)
            // The reason names a path of this device, which is none of the other device's business.
            #expect(!refusal.message.contains("/") && !refusal.message.contains("a.txt"))
        }
    }

    @Test("An activity whose document is outside a folder is not advertised until the problem is solved")
    func offTheAir() async throws {
        try await Self.run { world, docs in
            let activity = try Self.activity(docs.appending(path: "none.txt"))
            let problem = try #require(try world.engine.desktop.documentProblem(of: activity))
            let id = try world.engine.activities.create(
                activity,
                isEligible: true,
                documentProblem: problem,
                by: ":1.1"
            )
            try world.engine.activities.becomeCurrent(id, by: ":1.1")
            #expect(world.advertisement == nil)
            world.engine.activities.setDocumentProblem(nil, of: id)
            #expect(world.advertisement != nil)
            world.engine.activities.setDocumentProblem("It has left.", of: id)
            #expect(world.engine.read { $0.origin.current } == nil)
        }
    }

    @Test("The wait for a document that does not arrive ends with an error that names it")
    func impatient() async throws {
        try await Self.run { world, docs in
            try await Reactor.withReactor { reactor in
                var service = DocumentTracker(engine: world.engine, logger: world.engine.logger)
                service.timeout = .milliseconds(1)
                let activity = try Activity(
                    type: .browsingWeb,
                    userInfo: [Activity.documentURLKey: .url("handoff-folder:docs/late.txt")]
                )
                let tracker = service
                let error = await #expect(throws: HandoffError.self) {
                    _ = try await tracker.waitForDocuments(of: activity)
                }
                #expect(error?.code == .documentMissing)
                #expect(error?.message.contains("late.txt has not been synchronised") == true)
                let local = try service.local(activity)
                #expect(local.documentURL?.hasSuffix("/late.txt") == true)
            }
        }
    }

    @Test("Folders are stored, but those of the configuration file are changed only there")
    func kept() async throws {
        try await Self.run { world, docs in
            let id = try FolderID("added")
            var configured = SyncedFolders()
            configured[try FolderID("docs")] = try SyncedFolder(id: FolderID("docs"), path: docs.path())
            let list = try FolderList(from: world.directory, configured: configured, home: nil)
            try await list.set(docs.path(), for: id)
            await #expect(throws: HandoffError.self) { try await list.set(nil, for: FolderID("docs")) }
            await #expect(throws: HandoffError.self) { try await list.set("/nowhere", for: id) }
            let again = try FolderList(from: world.directory, configured: SyncedFolders(), home: nil)
            #expect(again.all.all.map(\.id.rawValue) == ["added"])
        }
    }
}
