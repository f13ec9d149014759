import CLinux
import Foundation
import TestLimits
import Testing

@testable import HandoffCLI

@Suite("Bytes moved between a pipe and a socket", .endsWithin(minutes: 1))
struct PipeSpliceTests {
    @Test("A pipe holds at least 256 KiB, and one that holds more keeps its size", arguments: [65_536, 1_048_576])
    func capacity(before: CInt) throws {
        let (read, written) = (Pipe(), Pipe())
        let (input, output) = (read.fileHandleForReading.fileDescriptor, written.fileHandleForWriting.fileDescriptor)
        for pipe in [input, output] { try #require(handoff_set_pipe_size(pipe, before) == before) }
        _ = PipeSplice(from: input, to: output)
        for pipe in [input, output] { #expect(handoff_get_pipe_size(pipe) == max(before, 262_144)) }
    }
}
