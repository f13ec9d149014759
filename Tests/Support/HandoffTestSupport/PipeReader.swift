import Foundation

/// The output of a program, line by line or whole. For one reader.
package final class PipeReader: Sendable {
    private let chunks: AsyncStream<Data>
    private let handle: FileHandle

    init(_ handle: FileHandle) {
        self.handle = handle
        let (chunks, continuation) = AsyncStream<Data>.makeStream()
        self.chunks = chunks
        handle.readabilityHandler = { handle in
            let data = handle.availableData
            if data.isEmpty {
                handle.readabilityHandler = nil
                continuation.finish()
            } else {
                continuation.yield(data)
            }
        }
    }

    /// Everything that has not been read, up to the end.
    package func text() async -> String {
        var all = Data()
        for await chunk in chunks { all += chunk }
        return String(decoding: all, as: UTF8.self)
    }

    /// The first line, without its end; what follows in the same breath is lost. Nil if the output ends before.
    package func firstLine() async -> String? {
        var all = Data()
        for await chunk in chunks {
            all += chunk
            guard let end = all.firstIndex(of: UInt8(ascii: "\n")) else { continue }
            return String(decoding: all[..<end], as: UTF8.self)
        }
        return nil
    }
}
