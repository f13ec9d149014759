import CLinux
import Foundation
import TestLimits
import Testing

@testable import HandoffCLI

@Suite("Bytes moved between a pipe and a socket", .endsWithin(minutes: 1))
struct PipeSpliceTests {
    /// Two pipes that hold at least `capacity` bytes each, the first of which has bytes to read.
    private struct Pipes {
        let source = Pipe()
        let destination = Pipe()
        var input: CInt { source.fileHandleForReading.fileDescriptor }
        var output: CInt { destination.fileHandleForWriting.fileDescriptor }
        var capacities: [CInt] { [handoff_get_pipe_size(input), handoff_get_pipe_size(output)] }

        init(capacity: CInt) throws {
            for pipe in [input, output] { try #require(handoff_set_pipe_size(pipe, capacity) == capacity) }
            try source.fileHandleForWriting.write(contentsOf: Data("abc".utf8))
        }
    }

    @Test("A pipe holds at least 256 KiB, and one that holds more keeps its size", arguments: [65_536, 524_288])
    func capacity(before: CInt) throws {
        let pipes = try Pipes(capacity: before)
        var splice = PipeSplice(from: pipes.input, to: pipes.output)
        #expect(try splice.move() == 3)
        #expect(pipes.capacities == [max(before, 262_144), max(before, 262_144)])
        #expect(try pipes.destination.fileHandleForReading.read(upToCount: 3) == Data("abc".utf8))
    }

    @Test("A pipe into which nothing is moved keeps its size")
    func untouched() throws {
        let pipes = try Pipes(capacity: 65_536)
        var splice = PipeSplice(from: pipes.input, to: pipes.output)
        #expect(splice.giveUp() == nil)
        #expect(!splice.isPossible)
        #expect(pipes.capacities == [65_536, 65_536])
    }
}
