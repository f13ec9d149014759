import Epoll
import Foundation
import SystemPackage
import TestLimits
import Testing

@Suite("Watches of readers", .endsWithin(minutes: 10))
struct ReaderWatchTests {
    @Test("A reader is seen to close the file when its last descriptor is closed, also after the file was removed")
    func closed() async throws {
        for isRemovedFirst in [true, false] {
            let path = FilePath(FileManager.default.temporaryDirectory.path()).appending("read-\(UUID())")
            defer { unlink(path.string) }
            let options: FileDescriptor.OpenOptions = [.create, .exclusiveCreate]
            try FileDescriptor.open(path, .writeOnly, options: options, permissions: .ownerReadWrite).closeAfter {}
            let watch = try ReaderWatch(path)
            let reader = try FileDescriptor.open(path, .readOnly)
            if isRemovedFirst { unlink(path.string) }
            let copy = try reader.duplicate()
            try reader.close()
            #expect(try copy.read(into: .init(start: nil, count: 0)) == 0)
            try copy.close()
            try await watch.closed()
        }
    }

    @Test("A file that does not exist cannot be watched")
    func absent() {
        #expect(throws: Errno.noSuchFileOrDirectory) { try ReaderWatch("/nowhere/file") }
    }
}
