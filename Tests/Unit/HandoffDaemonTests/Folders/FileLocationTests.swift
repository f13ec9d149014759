import Epoll
import Foundation
import HandoffDaemon
import HandoffModel
import SystemPackage
import Testing
import TestLimits

@Suite("Waiting for a document that has not been synchronised yet", .endsWithin(minutes: 10))
struct FileLocationTests {
    @Test(
        "The wait ends once the document was moved into its new directory, with inotify and without",
        arguments: [Inotify.shared, .exhausted]
    )
    func appears(_ inotify: Inotify) async throws {
        let root = URL.temporaryDirectory.appending(path: "handoff-place-\(UUID().uuidString.prefix(8))")
        let files = FileManager.default
        try files.createDirectory(at: root, withIntermediateDirectories: true)
        defer { try? files.removeItem(at: root) }
        let id = try FolderID("docs")
        var folders = SyncedFolders()
        folders[id] = try SyncedFolder(id: id, path: root.path())
        let location = try folders.localFile(
            of: FolderURL(folder: id, components: [Array("a".utf8), Array("b.txt".utf8)])
        )
        let isThereAlready = try location.exists
        #expect(!isThereAlready)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await location.waitUntilExists(watchedThrough: inotify) }
            try FileManager.default.createDirectory(
                at: root.appending(path: "a"),
                withIntermediateDirectories: true
            )
            let temporary = root.appending(path: "a/.b.txt.part")
            try Data("x".utf8).write(to: temporary)
            try FileManager.default.moveItem(at: temporary, to: root.appending(path: "a/b.txt"))
            try await group.waitForAll()
        }
        let isThere = try location.exists
        #expect(isThere)
    }

    @Test("A folder whose directory does not exist is reported with that problem")
    func unmounted() throws {
        let id = try FolderID("docs")
        var folders = SyncedFolders()
        folders[id] = try SyncedFolder(id: id, path: "/nowhere/docs")
        #expect(folders.all.first?.problem == "/nowhere/docs does not exist.")
        let known = folders
        let fault = #expect(throws: FolderError.self) {
            _ = try known.localFile(of: FolderURL(folder: id, components: [[0x61]]))
        }
        #expect(fault?.code == .noSuchFolder)
    }

    @Test("A folder's path is absolute, and ~ is the home directory")
    func paths() throws {
        let id = try FolderID("docs")
        #expect(throws: FolderError.self) { _ = try SyncedFolder(id: id, path: "docs") }
        // Longer than Linux allows; refused before anything is done with it that takes time.
        let long = "/" + String(repeating: "x", count: 10_000_000)
        #expect { _ = try SyncedFolder(id: id, path: long) } throws: { "\($0)".contains("10000001 bytes") }
        #expect(try SyncedFolder(id: id, path: "~/docs/", home: "/home/ann").path == "/home/ann/docs")
        #expect(try SyncedFolder(id: id, path: "/~/docs", home: "/home/ann").path == "/~/docs")
    }
}

extension Inotify {
    /// An inotify of which no instance is left, as when other programs of the user have taken all.
    static let exhausted = Inotify {
        errno = EMFILE
        return -1
    }
}
