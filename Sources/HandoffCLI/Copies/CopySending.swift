import DBus
import Epoll
private import Glibc
import SystemPackage

/// One sending of a file through a stream, on a thread of its own: files cannot be read without blocking.
struct CopySending: Sendable {
    /// Why the other device has no copy.
    enum Failure: Error {
        /// The stream ended with an error, or the other device does not confirm the copy.
        case broken
        /// The file was changed meanwhile.
        case changed
        /// The file cannot be read.
        case unreadable(Errno)
    }

    private static let bufferBytes = 256 * 1024

    private let stream: BlockingStream
    private let opened: CopySource.Opened

    /// - Parameter stream: a connected socket in blocking mode that resets the connection when it is closed early.
    init(_ opened: CopySource.Opened, to stream: UnixFD) {
        self.opened = opened
        self.stream = BlockingStream(stream)
    }

    /// Sends the file, and waits until the other device confirms that it has it.
    func run() throws(Failure) {
        defer { opened.descriptor.closeIgnoringErrors() }
        try send(opened.file.line[...])
        var buffer = [UInt8](repeating: 0, count: Self.bufferBytes)
        var rest = opened.file.size
        while rest > 0 {
            let count = try read(&buffer, atMost: rest)
            guard count > 0 else { throw .changed }
            try send(buffer.prefix(count))
            rest -= count
        }
        guard opened.isUnchanged else { throw .changed }
        guard isConfirmed() else { throw .broken }
        stream.complete()
    }

    private func read(_ buffer: inout [UInt8], atMost limit: Int) throws(Failure) -> Int {
        do throws(Errno) {
            return try systemCall { Glibc.read(opened.descriptor.rawValue, &buffer, min(buffer.count, limit)) }
        } catch {
            throw .unreadable(error)
        }
    }

    private func send(_ bytes: ArraySlice<UInt8>) throws(Failure) {
        do throws(Errno) {
            try stream.send(bytes)
        } catch {
            throw .broken
        }
    }

    /// Whether the other device says that the copy is in its place, and ends the stream.
    private func isConfirmed() -> Bool {
        var answer: [UInt8] = []
        do throws(Errno) {
            try stream.finishSending()
            while answer.count <= CopiedFile.confirmation.count {
                let bytes = try stream.receive(atMost: CopiedFile.confirmation.count + 1)
                guard !bytes.isEmpty else { return answer == CopiedFile.confirmation }
                answer += bytes
            }
        } catch {
            return false
        }
        return false
    }
}
