import CLinux
import Epoll
import Foundation
import Glibc
import Synchronization
import SystemPackage
import TestLimits
import Testing

@Suite("Watches of directories", .endsWithin(minutes: 10))
struct DirectoryWatchTests {
    @Test("All watches share one inotify instance, however many there are")
    func oneInstance() async throws {
        try await withDirectory { directory in
            let opened = Mutex(0)
            let inotify = Inotify {
                opened.withLock { $0 += 1 }
                return inotify_init1(CInt(IN_CLOEXEC | IN_NONBLOCK))
            }
            do {
                let watches = (0..<200).map { _ in DirectoryWatch([directory], through: inotify) }
                try directory.write("a")
                for watch in watches { try await watch.changed(orAfter: .zero) }
                #expect(watches.allSatisfy { $0.obstacle == nil })
                #expect(opened.withLock(\.self) == 1)
            }
            // The instance was closed with the last watch.
            let again = DirectoryWatch([directory], through: inotify)
            #expect(opened.withLock(\.self) == 2)
            try directory.write("b")
            try await again.changed(orAfter: .zero)
        }
    }

    @Test("When one of several watches of a directory ends, the others still report changes")
    func othersStay() async throws {
        try await withDirectory { directory in
            let inotify = Inotify { inotify_init1(CInt(IN_CLOEXEC | IN_NONBLOCK)) }
            let stays = DirectoryWatch([directory], through: inotify)
            do {
                let goes = DirectoryWatch([directory], for: .completeFiles, through: inotify)
                try directory.write("a")
                try await goes.changed(orAfter: .zero)
            }
            try await stays.changed(orAfter: .zero)
            try directory.write("b")
            try await stays.changed(orAfter: .zero)
        }
    }

    @Test("A watch for complete files does not report a file that was only created")
    func completeFiles() async throws {
        try await withDirectory { directory in
            let watch = DirectoryWatch([directory], for: .completeFiles)
            let everything = DirectoryWatch([directory])
            let file = try FileDescriptor.open(
                directory.appending("half"),
                .writeOnly,
                options: .create,
                permissions: .ownerReadWrite
            )
            // The kernel notifies both watches in the same order: once this one has reported the file, the other one
            // would have reported it as well.
            try await everything.changed(orAfter: .zero)
            // Which of the two ends first.
            let first = try await withThrowingTaskGroup(of: String.self) { group in
                defer { group.cancelAll() }
                group.addTask {
                    try await watch.changed(orAfter: .zero)
                    return "told"
                }
                group.addTask {
                    for _ in 0..<100 { await Task.yield() }
                    return "not told"
                }
                return try await group.next()
            }
            #expect(first == "not told")
            let complete = DirectoryWatch([directory], for: .completeFiles)
            try file.close()
            try await complete.changed(orAfter: .zero)
        }
    }

    @Test("The removal of a directory is reported, and so is its new creation, by a watch of the directory above")
    func removed() async throws {
        try await withDirectory { above in
            let directory = above.appending("inside")
            try FileManager.default.createDirectory(atPath: directory.string, withIntermediateDirectories: true)
            let watch = DirectoryWatch([directory])
            try FileManager.default.removeItem(atPath: directory.string)
            try await watch.changed(orAfter: .zero)
            let appears = DirectoryWatch([directory.appending("deeper")])
            try FileManager.default.createDirectory(atPath: directory.string, withIntermediateDirectories: true)
            try await appears.changed(orAfter: .zero)
        }
    }

    @Test("A change of the permissions of an ancestor directory is reported")
    func permissions() async throws {
        try await withDirectory { above in
            let directory = above.appending("inside")
            let files = FileManager.default
            try files.createDirectory(atPath: directory.string, withIntermediateDirectories: true)
            let watch = DirectoryWatch([directory.appending("deeper")])
            try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory.string)
            try await watch.changed(orAfter: .zero)
        }
    }

    @Test("No change is lost while many tasks add and remove watches")
    func manyAtOnce() async throws {
        try await withDirectory { above in
            let inotify = Inotify { inotify_init1(CInt(IN_CLOEXEC | IN_NONBLOCK)) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<32 {
                    // Several tasks share a directory, and add and remove its watch while others do.
                    let directory = above.appending("directory\(number % 4)")
                    try FileManager.default.createDirectory(atPath: directory.string, withIntermediateDirectories: true)
                    group.addTask {
                        for round in 0..<50 {
                            let watch = DirectoryWatch([directory], through: inotify)
                            try directory.write("file\(number)-\(round)")
                            try await watch.changed(orAfter: .zero)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test("Without an inotify instance, the watch returns at intervals and its obstacle describes the reason")
    func exhausted() async throws {
        try await withDirectory { directory in
            let inotify = Inotify {
                errno = EMFILE
                return -1
            }
            let watch = DirectoryWatch([directory], through: inotify)
            let obstacle = try #require(watch.obstacle)
            #expect(obstacle.error == .tooManyOpenFiles)
            #expect(obstacle.description.contains("fs.inotify.max_user_instances"))
            // Nothing changes, and each wait returns nevertheless.
            for _ in 0..<3 { try await watch.changed(orAfter: .milliseconds(1)) }
        }
    }

    @Test("A wait for a change ends when the task is cancelled, with inotify and without", arguments: [true, false])
    func cancelled(_ isExhausted: Bool) async throws {
        try await withDirectory { directory in
            let inotify = isExhausted ? Inotify { -1 } : .shared
            let watch = DirectoryWatch([directory], through: inotify)
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    await #expect(throws: CancellationError.self) { try await watch.changed(orAfter: .seconds(3600)) }
                }
                group.cancelAll()
            }
        }
    }

    private func withDirectory(_ body: (FilePath) async throws -> Void) async throws {
        let directory = URL.temporaryDirectory.appending(path: "watch-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try await body(FilePath(directory.path()))
    }
}

extension FilePath {
    /// Writes an empty file of that name in this directory.
    fileprivate func write(_ name: String) throws {
        try Data().write(to: URL(filePath: appending(name).string))
    }
}
