import Foundation
import HandoffDaemon
import HandoffModel
import SystemPackage
import Testing
import TestLimits

@Suite("Documents are shared through synchronised folders only", .endsWithin(minutes: 10))
struct SyncedFoldersTests {
    /// The file trees of two devices: here `docs` with `a b.txt` and an inner folder, there `docs` at another path; and
    /// links.
    private final class Trees {
        let root: URL
        let here: SyncedFolders
        let there: SyncedFolders

        init() throws {
            let root = URL.temporaryDirectory.appending(path: "handoff-folders-\(UUID().uuidString.prefix(8))")
            let files = FileManager.default
            for directory in ["here/docs/inner", "here/photos", "there/Documents", "outside"] {
                try files.createDirectory(at: root.appending(path: directory), withIntermediateDirectories: true)
            }
            for file in ["here/docs/a b.txt", "here/docs/inner/ü%.txt", "outside/secret.txt"] {
                try Data("x".utf8).write(to: root.appending(path: file))
            }
            let link = { (path: String, target: String) throws in
                try files.createSymbolicLink(
                    atPath: root.appending(path: path).path(),
                    withDestinationPath: root.appending(path: target).path(percentEncoded: false)
                )
            }
            try link("here/docs/out.txt", "outside/secret.txt")
            try link("here/docs/within.txt", "here/docs/a b.txt")
            try link("way", "here/docs")
            try link("there/Documents/out", "outside")
            self.root = root
            here = try Self.folders(root, ["docs": "here/docs", "inner": "here/docs/inner"])
            there = try Self.folders(root, ["docs": "there/Documents", "inner": "there/Inner"])
        }

        deinit { try? FileManager.default.removeItem(at: root) }

        static func folders(_ root: URL, _ paths: [String: String]) throws -> SyncedFolders {
            var folders = SyncedFolders()
            for (id, path) in paths {
                let id = try FolderID(id)
                folders[id] = try SyncedFolder(id: id, path: root.appending(path: path).path())
            }
            return folders
        }

        func file(_ path: String) throws -> FileURL {
            try FileURL(path: Array(root.appending(path: path).path(percentEncoded: false).utf8))
        }
    }

    @Test(
        "A file in a folder has a location in it, wherever a link to it is; the innermost folder counts",
        arguments: [
            ("here/docs/a b.txt", "handoff-folder:docs/a%20b.txt"),
            ("here/docs/inner/ü%.txt", "handoff-folder:inner/%C3%BC%25.txt"),
            ("here/docs/within.txt", "handoff-folder:docs/a%20b.txt"),
            ("way/a b.txt", "handoff-folder:docs/a%20b.txt"),
            ("here/docs/inner/../a b.txt", "handoff-folder:docs/a%20b.txt"),
            ("here/docs", "handoff-folder:docs/"),
        ]
    )
    func located(path: String, location: String) throws {
        let trees = try Trees()
        let found = try trees.here.location(of: trees.file(path)).description
        #expect(found == location)
    }

    @Test(
        "A file elsewhere, a link that leads out, and a missing file have no location, and the error gives the reason",
        arguments: [
            ("outside/secret.txt", "notShared", "is not in a synchronised folder"),
            ("here/docs/out.txt", "notShared", "is not in a synchronised folder"),
            ("here/docs/../photos", "notShared", "handoffctl folders add"),
            ("here/docs/none.txt", "missing", "does not exist"),
        ]
    )
    func notLocated(path: String, code: String, sentence: String) throws {
        let trees = try Trees()
        let file = try trees.file(path)
        let here = trees.here
        let fault = #expect(throws: FolderError.self) { _ = try here.location(of: file) }
        #expect(fault?.code.description == code)
        #expect(fault?.message.contains(sentence) == true, "\(fault?.message ?? "")")
    }

    @Test("The files of an activity, at any depth, become those of the other device, and all else is unchanged")
    func roundTrip() throws {
        let trees = try Trees()
        let url = { (path: String) throws in UserInfoValue.url(try trees.file(path).description + "#page=2") }
        let activity = try Activity(
            type: .browsingWeb,
            userInfo: [
                Activity.documentURLKey: try url("here/docs/a b.txt"),
                "others": .array([.set([try url("here/docs/inner/ü%.txt")]), .url("https://example.org/file:///a")]),
                "text": .string(try trees.file("here/docs/a b.txt").description),
            ]
        )
        let shared = try trees.here.shared(activity)
        #expect(shared.documentURL == "handoff-folder:docs/a%20b.txt#page=2")
        var there = trees.there
        let inner = try FolderID("inner")
        let lacking = there
        #expect(throws: FolderError.self) { _ = try lacking.local(shared) }
        there[inner] = try SyncedFolder(id: inner, path: trees.root.appending(path: "there").path())
        let (local, locations) = try there.local(shared)
        let expectedDocument = try trees.file("there/Documents/a b.txt").description + "#page=2"
        #expect(local.documentURL == expectedDocument)
        #expect(local.userInfo["text"] == activity.userInfo["text"])
        #expect(locations.count == 2)
        let arePresent = try locations.map { location in try location.exists }
        #expect(arePresent == [false, false])
        let expected = UserInfoValue.url(try trees.file("there/ü%.txt").description + "#page=2")
        #expect(
            local.userInfo["others"] == .array([.set([expected]), .url("https://example.org/file:///a")])
        )
    }

    @Test(
        "A URL from another device cannot lead to a file outside the folder",
        arguments: [
            ("handoff-folder:docs/out/secret.txt", "leadsOut"), ("handoff-folder:docs/out", "leadsOut"),
            ("handoff-folder:docs/out/none/none", "leadsOut"),
            ("handoff-folder:docs/../../outside/secret.txt", "foreign"), ("handoff-folder:docs/%2e%2e/x", "foreign"),
            ("handoff-folder:docs/a%2Fb", "foreign"), ("handoff-folder:docs/a%00b", "foreign"),
            ("handoff-folder:docs//etc/passwd", "foreign"), ("handoff-folder:docs", "foreign"),
            ("handoff-folder:/etc/passwd", "foreign"), ("file:///etc/passwd", "foreign"),
            ("FILE:/etc/passwd", "foreign"),
            ("file://elsewhere/etc", "foreign"), ("handoff-folder:mine/x", "noSuchFolder"),
            ("Handoff-Folder:inner/x", "noSuchFolder"),
        ]
    )
    func hostile(url: String, code: String) throws {
        let trees = try Trees()
        let there = trees.there
        let activity = try Activity(type: .browsingWeb, userInfo: ["a": .dictionary(["b": .url(url)])])
        let fault = #expect(throws: FolderError.self) { _ = try there.local(activity) }
        #expect(fault?.code.description == code, "\(fault?.message ?? "")")
    }

    @Test(
        "An app cannot use the protocol's own URLs; its document may be outside, its other files may not"
    )
    func check() throws {
        let trees = try Trees()
        let here = trees.here
        let own = try Activity(type: .browsingWeb, userInfo: ["a": .url("handoff-folder:docs/a")])
        #expect(throws: FolderError.self) { try here.check(own) }
        let outside = UserInfoValue.url(try trees.file("outside/secret.txt").description)
        let document = try Activity(type: .browsingWeb, userInfo: [Activity.documentURLKey: outside])
        try here.check(document)
        let fault = try here.documentFault(of: document)
        #expect(fault?.code == .notShared)
        let other = try Activity(type: .browsingWeb, userInfo: ["other": outside])
        #expect(throws: FolderError.self) { try here.check(other) }
        let none = try here.documentFault(of: other)
        #expect(none == nil)
    }
}
