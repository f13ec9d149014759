@testable import HandoffFolders
import Synchronization
import SystemPackage
import TestLimits
import Testing

@Suite("A file system that does not answer", .endsWithin(minutes: 10))
struct PathLookupTests {
    /// A file system on which everything under `/gone` blocks until it is mended.
    private final class Drive: Sendable {
        private let gate = Gate()
        private let count = Mutex(0)

        /// How often it was asked.
        var asked: Int { count.withLock { $0 } }

        func resolve(_ path: FilePath) -> FilePath? {
            count.withLock { $0 += 1 }
            if path.starts(with: "/gone") { gate.wait() }
            return path
        }

        func mend() { gate.open() }
    }

    /// A pipe with a byte for everybody who waits, once they may go on.
    ///
    /// Its end would not do: a program that another test starts meanwhile may hold it, too.
    private final class Gate: Sendable {
        private let ends: (reading: FileDescriptor, writing: FileDescriptor)

        init() {
            guard let pipe = try? FileDescriptor.pipe() else { preconditionFailure("a pipe can be made") }
            ends = (pipe.readEnd, pipe.writeEnd)
        }

        func wait() {
            var byte: UInt8 = 0
            _ = withUnsafeMutableBytes(of: &byte) { try? ends.reading.read(into: $0) }
        }

        func open() { _ = try? ends.writing.writeAll(Array(repeating: UInt8(0), count: 4096)) }

        deinit {
            try? ends.reading.close()
            try? ends.writing.close()
        }
    }

    private static func code(_ lookup: PathLookup, _ path: String) -> FolderError.Code? {
        do throws(FolderError) {
            _ = try lookup.canonical(FilePath(path))
            return nil
        } catch {
            return error.code
        }
    }

    @Test("is given up, is not asked again, keeps no other from being asked, and is asked again once it has answered")
    func silent() async {
        let drive = Drive()
        let lookup = PathLookup(limit: .seconds(3)) { drive.resolve($0) }
        #expect(Self.code(lookup, "/gone") == .unresponsive)
        for number in 0..<1000 { #expect(Self.code(lookup, "/gone/\(number)") == .unresponsive) }
        #expect(drive.asked == 1)
        #expect(Self.code(lookup, "/here") == nil)
        drive.mend()
        // Its thread ends as soon as the system lets it.
        while Self.code(lookup, "/gone") != nil { await Task.yield() }
        #expect(Self.code(lookup, "/gone/1") == nil)
    }

    @Test("leaves no more than a few threads behind, wherever it is asked")
    func bounded() async {
        let drive = Drive()
        let lookup = PathLookup(limit: .milliseconds(20)) { drive.resolve($0) }
        for number in 0..<100 { #expect(Self.code(lookup, "/gone/\(number)") == .unresponsive) }
        // The last of them may not have begun yet.
        while drive.asked < PathLookup.maximumPending { await Task.yield() }
        #expect(drive.asked == PathLookup.maximumPending)
        // By then nothing else is asked either.
        #expect(Self.code(lookup, "/here") == .unresponsive)
        drive.mend()
        while Self.code(lookup, "/here") != nil { await Task.yield() }
    }

    @Test("of a system that is well, says where a path leads, and that it leads nowhere")
    func well() throws {
        #expect(try PathLookup.system.canonical("/usr/../usr/./bin/..") == "/usr")
        #expect(try PathLookup.system.canonical("/nowhere/at/all") == nil)
    }
}
