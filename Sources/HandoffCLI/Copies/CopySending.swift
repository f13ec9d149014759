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

    private static let bufferBytes = 64 * 1024

    private let stream: UnixFD
    private let opened: CopySource.Opened
    private let number: CInt

    /// - Parameter stream: a connected socket in blocking mode that resets the connection when it is closed early.
    init(_ opened: CopySource.Opened, to stream: UnixFD) {
        self.opened = opened
        self.stream = stream
        number = stream.withFileDescriptor { $0 }
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
        guard shutdown(number, CInt(SHUT_WR)) == 0, isConfirmed() else { throw .broken }
        var off = linger(l_onoff: 0, l_linger: 0)
        setsockopt(number, SOL_SOCKET, SO_LINGER, &off, socklen_t(MemoryLayout<linger>.size))
    }

    private func read(_ buffer: inout [UInt8], atMost limit: Int) throws(Failure) -> Int {
        do throws(Errno) {
            return try systemCall { Glibc.read(opened.descriptor.rawValue, &buffer, min(buffer.count, limit)) }
        } catch {
            throw .unreadable(error)
        }
    }

    private func send(_ bytes: ArraySlice<UInt8>) throws(Failure) {
        var rest = bytes
        while !rest.isEmpty {
            let piece = rest
            do throws(Errno) {
                let count = try systemCall {
                    piece.withUnsafeBytes { Glibc.send(number, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
                }
                rest = rest.dropFirst(count)
            } catch {
                throw .broken
            }
        }
    }

    /// Whether the other device says that the copy is in its place, and ends the stream.
    private func isConfirmed() -> Bool {
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: CopiedFile.confirmation.count + 1)
        while answer.count <= CopiedFile.confirmation.count {
            guard let count = try? systemCall({ Glibc.read(number, &buffer, buffer.count) }) else { return false }
            guard count > 0 else { return answer == CopiedFile.confirmation }
            answer += buffer.prefix(count)
        }
        return false
    }
}
