import Epoll
private import Glibc
import SystemPackage

/// The lines of standard input, numbered from 1.
///
/// Each line replaces the one before it, so that a program which writes faster than the lines are handled loses only those
/// that count no longer: all but the newest 16.
struct InputLines: Sendable {
    /// A line, or why it cannot be read.
    struct Line: Sendable {
        let number: Int
        /// With U+FFFD in place of what is not UTF-8; nil when it is longer than ``maximumBytes``.
        let text: String?
    }

    /// The longest line: an activity has 64 KiB at most, and JSON may need six bytes for one.
    static let maximumBytes = 512 * 1024

    private static let waitingLines = 16

    /// The lines, until the end of the input.
    let lines: AsyncStream<Line>

    /// Begins to read, on a thread of its own: files and terminals cannot be read without blocking.
    ///
    /// - Throws: `Errno` when there can be no further thread.
    init() throws(Errno) {
        let (lines, newLines) = AsyncStream<Line>.makeStream(bufferingPolicy: .bufferingNewest(Self.waitingLines))
        self.lines = lines
        _ = try BlockingThread {
            Self.read { newLines.yield($0) }
            newLines.finish()
        }
    }

    /// Reads until the end of the input, or an error, which is the same.
    private static func read(_ each: (Line) -> Void) {
        var assembly = LineAssembly(maximumBytes: maximumBytes)
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while let count = try? systemCall({ Glibc.read(STDIN_FILENO, &buffer, buffer.count) }), count > 0 {
            for line in assembly.append(buffer[..<count]) { each(line) }
        }
        if let last = assembly.end() { each(last) }
    }
}

/// Cuts bytes into lines, and keeps no more of a line than is allowed.
struct LineAssembly {
    private let maximumBytes: Int
    private var bytes: [UInt8] = []
    private var isTooLong = false
    private var number = 0

    init(maximumBytes: Int) {
        self.maximumBytes = maximumBytes
    }

    /// Returns the lines that these bytes complete; empty lines only count.
    mutating func append(_ piece: some Collection<UInt8>) -> [InputLines.Line] {
        var lines: [InputLines.Line] = []
        for byte in piece {
            if byte == UInt8(ascii: "\n") {
                if let line = end() { lines.append(line) }
            } else if bytes.count == maximumBytes {
                isTooLong = true
            } else {
                bytes.append(byte)
            }
        }
        return lines
    }

    /// Returns the line that has no end yet; nil if it is empty.
    mutating func end() -> InputLines.Line? {
        number += 1
        defer {
            bytes = []
            isTooLong = false
        }
        if isTooLong { return InputLines.Line(number: number, text: nil) }
        guard bytes.contains(where: { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\r") }) else { return nil }
        return InputLines.Line(number: number, text: String(decoding: bytes, as: UTF8.self))
    }
}
