import Foundation
import TestRuns

/// The output of a program, line by line or whole, for one reader.
package final class PipeReader: Sendable {
    private let chunks: AsyncStream<[UInt8]>

    /// Takes over `descriptor` and reads it to its end on a thread of its own.
    init(_ descriptor: Int32) {
        let (chunks, continuation) = AsyncStream<[UInt8]>.makeStream()
        self.chunks = chunks
        Thread.detachNewThread {
            var buffer = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                if count > 0 { continuation.yield(Array(buffer.prefix(count))) }
                if count == 0 || (count < 0 && errno != EINTR) { break }
            }
            close(descriptor)
            continuation.finish()
        }
    }

    /// Everything that has not been read, up to the end.
    package func text() async -> String {
        await awaiting("the end of a program's output") {
            var all: [UInt8] = []
            for await chunk in chunks { all += chunk }
            return String(decoding: all, as: UTF8.self)
        }
    }

    /// The first line, without its end; nil if the output ends before.
    ///
    /// What follows in the same breath is lost.
    package func firstLine() async -> String? {
        await awaiting("the first line of a program's output") {
            var all: [UInt8] = []
            for await chunk in chunks {
                all += chunk
                guard let end = all.firstIndex(of: UInt8(ascii: "\n")) else { continue }
                return String(decoding: all[..<end], as: UTF8.self)
            }
            return nil
        }
    }

    /// Hands over line after line, without their ends, to the end of the output.
    package func forEachLine(_ body: (String) -> Void) async {
        var rest: [UInt8] = []
        for await chunk in chunks {
            rest += chunk
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                body(String(decoding: rest[..<end], as: UTF8.self))
                rest.removeSubrange(...end)
            }
        }
        if !rest.isEmpty { body(String(decoding: rest, as: UTF8.self)) }
    }
}
