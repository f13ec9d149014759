import Epoll
import Foundation
import HandoffDaemon
import HandoffModel
import HandoffTestVectors
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

    /// Files that are there, a path as another device has told it, and the files that it means.
    struct Spelling: Codable, Equatable, Sendable {
        let what: String
        let files: [String]
        let told: String
        let found: [String]
    }

    @Test("A file is found in another spelling of its names, that which was told first; of several, none is guessed")
    func spellings() throws {
        let files = FileManager.default
        let cases = try VectorFile<Spelling>.table("spellings").cases
        #expect(cases.count > 15)
        for one in cases {
            let root = URL.temporaryDirectory.appending(path: "handoff-names-\(UUID().uuidString.prefix(8))").path()
            defer { try? files.removeItem(atPath: root) }
            for file in one.files {
                let directory = FilePath("\(root)/\(file)").removingLastComponent().string
                try files.createDirectory(atPath: directory, withIntermediateDirectories: true)
                try Data().write(to: URL(filePath: "\(root)/\(file)"))
            }
            let id = try FolderID("docs")
            var made = SyncedFolders()
            made[id] = try SyncedFolder(id: id, path: root)
            let folders = made
            let url = try FolderURL(folder: id, components: one.told.split(separator: "/").map { Array($0.utf8) })
            guard one.found.count < 2 else {
                let fault = #expect(throws: FolderError.self, "\(one.what)") { _ = try folders.localFile(of: url) }
                #expect(fault?.code == .missing && fault?.message.contains("rename one of them") == true)
                continue
            }
            let location = try folders.localFile(of: url)
            let path = FilePath("\(root)/\(one.found.first ?? one.told)")
            let isThere = try location.exists
            #expect(location.path == path && isThere == (one.found.count == 1), "\(one.what): \(location.path)")
        }
    }

    @Test("The wait ends when the file comes in another spelling, also in a new directory beside the one that was told")
    func appearsInAnotherSpelling() async throws {
        let root = URL.temporaryDirectory.appending(path: "handoff-place-\(UUID().uuidString.prefix(8))").path()
        let files = FileManager.default
        try files.createDirectory(atPath: "\(root)/cafe\u{301}", withIntermediateDirectories: true)
        defer { try? files.removeItem(atPath: root) }
        let id = try FolderID("docs")
        var folders = SyncedFolders()
        folders[id] = try SyncedFolder(id: id, path: root)
        let url = try FolderURL(folder: id, components: ["cafe\u{301}", "x.txt"].map { Array($0.utf8) })
        let location = try folders.localFile(of: url)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await location.waitUntilExists() }
            try FileManager.default.createDirectory(atPath: "\(root)/caf\u{E9}", withIntermediateDirectories: true)
            try Data().write(to: URL(filePath: "\(root)/caf\u{E9}/x.txt"))
            try await group.waitForAll()
        }
        let path = try folders.localFile(of: url).path
        #expect(path == FilePath("\(root)/caf\u{E9}/x.txt"))
    }

    @Test("A file in two folders with one directory has its place in the one with the first id")
    func twoFolders() throws {
        for ids in [["a", "b"], ["b", "a"]] {
            var folders = SyncedFolders()
            for id in ids { folders[try FolderID(id)] = try SyncedFolder(id: FolderID(id), path: "/usr") }
            #expect(try folders.location(of: FileURL(path: Array("/usr/bin".utf8))).folder.rawValue == "a")
        }
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
