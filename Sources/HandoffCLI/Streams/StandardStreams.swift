import DBus
import Epoll
private import Glibc
private import Synchronization
import SystemPackage

/// Standard input and output as one end of a continuation stream.
enum StandardStreams {
    /// Copies standard input to the stream and the stream to standard output, until both have ended.
    ///
    /// Does not wait for the end of input from a terminal once the other side has finished: the user sees that it has.
    ///
    /// - Throws: ``CommandFailure`` if the stream broke; data may be missing then.
    static func connect(to stream: UnixFD) async throws {
        let shared = Shared(stream)
        let receiving = try BlockingThread { shared.copy(from: shared.number, to: STDOUT_FILENO) }
        let sending = try BlockingThread {
            shared.copy(from: STDIN_FILENO, to: shared.number)
            shutdown(shared.number, CInt(SHUT_WR))
        }
        await withTaskCancellationHandler {
            await receiving.ended()
            if isatty(STDIN_FILENO) == 0, shared.failure == nil { await sending.ended() }
        } onCancel: {
            shared.abandon()
        }
        try Task.checkCancellation()
        if let error = shared.failure {
            throw CommandFailure(
                status: .failed,
                message:
                    "The stream broke (\(error)); data may be missing. Move the devices closer together and try again."
            )
        }
    }

    /// The stream, shared by the two copying threads.
    private final class Shared: Sendable {
        let number: CInt
        private let stream: UnixFD
        private let firstFailure = Mutex<Errno?>(nil)

        init(_ stream: UnixFD) {
            self.stream = stream
            number = stream.withFileDescriptor { $0 }
        }

        /// The first error of either copy, if there was one.
        var failure: Errno? { firstFailure.withLock { $0 } }

        /// Copies until the end of `source`, or until the first error, which it records.
        func copy(from source: CInt, to target: CInt) {
            let (source, target) = (FileDescriptor(rawValue: source), FileDescriptor(rawValue: target))
            var buffer = [UInt8](repeating: 0, count: 64 * 1024)
            do {
                while true {
                    let count = try buffer.withUnsafeMutableBytes { try source.read(into: $0) }
                    guard count > 0 else { return }
                    try target.writeAll(buffer.prefix(count))
                }
            } catch {
                firstFailure.withLock { $0 = $0 ?? (error as? Errno ?? .ioError) }
            }
        }

        /// Ends both copies with a reset, so that the other side sees an interruption, not the end of the data.
        func abandon() {
            var reset = linger(l_onoff: 1, l_linger: 0)
            setsockopt(number, SOL_SOCKET, SO_LINGER, &reset, socklen_t(MemoryLayout<linger>.size))
            shutdown(number, CInt(SHUT_RD))
        }
    }
}
