import AsyncSupport
private import Glibc

/// The progress of a stream on the user's terminal: one line of standard error that is written again and again.
struct ProgressDisplay: Sendable {
    private let showsSent: Bool
    private let showsReceived: Bool
    /// How many bytes will be sent, where that is known.
    private let size: Int?
    private let begin = ContinuousClock.now

    /// The display of a stream that begins now; nil unless standard error is a terminal, and the data does not go to
    /// and come from one.
    init?(direction: StreamDirection) {
        showsSent = direction.reads && isatty(STDIN_FILENO) == 0
        showsReceived = direction != .sending && isatty(STDOUT_FILENO) == 0
        guard isatty(STDERR_FILENO) != 0, showsSent || showsReceived else { return nil }
        size = showsSent ? Self.remainingBytes(of: STDIN_FILENO) : nil
    }

    /// Shows the progress of a copy until the task is cancelled.
    func run(_ copy: StreamCopy) async throws {
        while true {
            show(copy)
            try await sleep(for: ProgressLine.interval)
        }
    }

    /// Shows how far a copy has come, and ends the line.
    func end(_ copy: StreamCopy) {
        show(copy)
        ProgressLine.end()
    }

    private func show(_ copy: StreamCopy) {
        let counts = copy.byteCounts
        ProgressLine.show(
            ProgressText(
                sent: showsSent ? counts.sent : nil,
                size: size,
                received: showsReceived ? counts.received : nil,
                elapsed: begin.duration(to: .now)
            )
        )
    }

    /// How many bytes of a regular file are after its position; nil for anything else.
    private static func remainingBytes(of descriptor: CInt) -> Int? {
        var status = stat()
        let position = lseek(descriptor, 0, SEEK_CUR)
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, position >= 0 else { return nil }
        return max(0, Int(status.st_size) - Int(position))
    }
}

/// A line of standard error, on a terminal, that is written again and again.
enum ProgressLine {
    /// How often it is written.
    static let interval = Duration.milliseconds(500)

    /// Whether standard error is a terminal.
    static var isPossible: Bool { isatty(STDERR_FILENO) != 0 }

    /// Writes the line anew.
    static func show(_ text: ProgressText) {
        // Carriage return, the text, and "erase to the end of the line" (ECMA-48, EL).
        write("\r\(text.description)\u{1B}[K")
    }

    /// Leaves the line as it is.
    static func end() { write("\n") }

    /// Erases the line.
    static func clear() { write("\r\u{1B}[K") }

    private static func write(_ text: String) {
        var text = text
        text.withUTF8 { _ = Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}

/// How far a stream has come, for people.
struct ProgressText: CustomStringConvertible {
    /// How many bytes were sent; nil to leave it out.
    let sent: Int?
    /// How many bytes will be sent; nil if unknown.
    let size: Int?
    /// How many bytes were received; nil to leave it out.
    let received: Int?
    /// How many bytes will be received; nil if unknown.
    var receivedSize: Int?
    /// The time since the stream was opened.
    let elapsed: Duration

    var description: String {
        var parts: [String] = []
        if let sent { parts.append("sent \(Self.share(sent, of: size))") }
        if let received, sent == nil || received > 0 {
            parts.append("received \(Self.share(received, of: receivedSize))")
        }
        parts.append("\(Self.bytes(rate))/s")
        return parts.joined(separator: ", ")
    }

    private static func share(_ count: Int, of size: Int?) -> String {
        guard let size, size > 0 else { return bytes(count) }
        // As a fraction: a hundred times the number of bytes need not be a number.
        let percent = min(100, Int(100 * Double(count) / Double(size)))
        return "\(bytes(count)) of \(bytes(size)) (\(percent) %)"
    }

    /// The mean of both directions together, in bytes per second.
    private var rate: Int {
        let (seconds, attoseconds) = elapsed.components
        let time = Double(seconds) + Double(attoseconds) / 1e18
        return time > 0 ? Int(Double((sent ?? 0) + (received ?? 0)) / time) : 0
    }

    /// A number of bytes with three or four digits and a decimal prefix of its unit.
    static func bytes(_ count: Int) -> String {
        guard count >= 1000 else { return "\(count) B" }
        var tenths = count / 100
        var units = ["kB", "MB", "GB", "TB", "PB"][...]
        while tenths >= 10_000, units.count > 1 {
            tenths /= 1000
            units = units.dropFirst()
        }
        return "\(tenths / 10).\(tenths % 10) \(units[units.startIndex])"
    }
}
