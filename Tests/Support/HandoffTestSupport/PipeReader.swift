import Foundation
import TestRuns

/// The output of a program for a single reader, which reads lines or all of it.
package final class PipeReader: Sendable {
    private let chunks: AsyncStream<[UInt8]>

    /// Takes ownership of `descriptor` and reads it to its end in a separate thread.
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

    /// The rest of the output, until its end.
    package func text() async -> String {
        await awaiting("the end of a program's output") {
            var all: [UInt8] = []
            for await chunk in chunks { all += chunk }
            return String(decoding: all, as: UTF8.self)
        }
    }

    /// The first line without its newline, or nil if the output ends before it.
    ///
    /// Text that was read together with the line is discarded.
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

    /// Passes each line to `body`, without its newline, until the end of the output.
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
