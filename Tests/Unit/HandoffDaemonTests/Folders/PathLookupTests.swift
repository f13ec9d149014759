import Glibc
@testable import HandoffDaemon
import Synchronization
import SystemPackage
import Testing
import TestLimits
import TestRuns

@Suite("Lookups in a file system that does not answer", .endsWithin(minutes: 10))
struct PathLookupTests {
    /// A file system on which every lookup under `/gone` blocks until ``recover()``.
    private final class Drive: Sendable {
        private let gate = Gate()
        private let count = Mutex(0)
        private let lookups = AsyncStream<Void>.makeStream()
        private let ends = AsyncStream<Void>.makeStream()

        /// The number of lookups.
        var asked: Int { count.withLock { $0 } }

        func resolve(_ path: FilePath) -> FilePath? {
            ThreadEnd.call { [ends] in ends.continuation.yield() }
            count.withLock { $0 += 1 }
            lookups.continuation.yield()
            if path.starts(with: "/gone") { gate.wait() }
            return path
        }

        /// Waits until so many lookups have begun.
        func begun(_ count: Int) async {
            await awaiting("\(count) lookups") { for await _ in lookups.stream.prefix(count) {} }
        }

        /// Waits until the thread of one more lookup has ended.
        func ended() async {
            await awaiting("the end of a lookup's thread") { for await _ in ends.stream.prefix(1) {} }
        }

        func recover() { gate.open() }
    }

    /// A pipe with a byte for every waiting thread, once the threads may continue.
    ///
    /// Closing its end would not work: a program that another test starts meanwhile may hold it as well.
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

    /// Calls functions when threads have ended, in which they do nothing any more (pthread_key_create(3)).
    private enum ThreadEnd {
        private final class Function {
            let call: @Sendable () -> Void

            init(_ call: @escaping @Sendable () -> Void) {
                self.call = call
            }
        }

        private static let key: pthread_key_t = {
            var key = pthread_key_t()
            let failure = pthread_key_create(&key) { value in
                if let value { Unmanaged<Function>.fromOpaque(value).takeRetainedValue().call() }
            }
            precondition(failure == 0, "a key for threads can be made")
            return key
        }()

        /// Has `function` called when this thread has ended.
        static func call(_ function: @escaping @Sendable () -> Void) {
            pthread_setspecific(key, Unmanaged.passRetained(Function(function)).toOpaque())
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

    @Test("A lookup times out and is not repeated until it has answered, and other paths are still looked up")
    func silent() async {
        let drive = Drive()
        let lookup = PathLookup(limit: .seconds(3)) { drive.resolve($0) }
        #expect(Self.code(lookup, "/gone") == .unresponsive)
        for number in 0..<1000 { #expect(Self.code(lookup, "/gone/\(number)") == .unresponsive) }
        #expect(drive.asked == 1)
        #expect(Self.code(lookup, "/here") == nil)
        drive.recover()
        // The threads of both.
        for _ in 1...2 { await drive.ended() }
        #expect(Self.code(lookup, "/gone") == nil)
        #expect(Self.code(lookup, "/gone/1") == nil)
    }

    @Test("Lookups leave no more than a few threads behind, for any number of paths")
    func bounded() async {
        let drive = Drive()
        let lookup = PathLookup(limit: .milliseconds(20)) { drive.resolve($0) }
        for number in 0..<100 { #expect(Self.code(lookup, "/gone/\(number)") == .unresponsive) }
        // The last of them may not have begun yet.
        await drive.begun(PathLookup.maximumPending)
        #expect(drive.asked == PathLookup.maximumPending)
        // Then no other path is looked up either.
        #expect(Self.code(lookup, "/here") == .unresponsive)
        drive.recover()
        // The first thread that ends makes room for another lookup; one that takes longer than the limit is one more that
        // ends.
        repeat { await drive.ended() } while Self.code(lookup, "/here") != nil
    }

    @Test("In a file system that answers, a lookup returns the target of a path, or that it has none")
    func well() throws {
        #expect(try PathLookup.system.canonical("/usr/../usr/./bin/..") == "/usr")
        #expect(try PathLookup.system.canonical("/nowhere/at/all") == nil)
    }
}
