import DBus
import Epoll
private import Glibc
private import Synchronization
import SystemPackage

/// Copies between a continuation stream and the standard streams, with a thread for each direction: files and
/// terminals cannot be read without blocking.
final class StreamCopy: Sendable {
    /// The reason why a copy is incomplete.
    enum Failure: Error {
        /// The stream ended with an error.
        case broken
        /// Standard input cannot be read.
        case input(Errno)
        /// Standard output cannot be written.
        case output(Errno)
        /// The other side has sent data though it should not.
        case unexpectedData
    }

    private enum Event: Sendable {
        case received
        case sent
        case failed(Failure)
    }

    private static let bufferBytes = 64 * 1024

    private let stream: UnixFD
    private let number: CInt
    private let direction: StreamDirection
    private let counts = Mutex(ByteCounts())
    private let events: AsyncStream<Event>
    private let newEvents: AsyncStream<Event>.Continuation

    /// - Parameter stream: a connected socket in blocking mode that resets the connection when it is closed before
    ///   ``run(waitsForInput:)`` has returned.
    init(_ stream: UnixFD, _ direction: StreamDirection) {
        self.stream = stream
        self.direction = direction
        number = stream.withFileDescriptor { $0 }
        (events, newEvents) = AsyncStream.makeStream()
    }

    /// How many bytes were copied so far.
    var byteCounts: ByteCounts { counts.withLock { $0 } }

    /// Copies until both directions have ended, and ends this side of the stream.
    ///
    /// - Parameter waitsForInput: whether this side ends only with standard input; otherwise it ends when the other
    ///   side has.
    /// - Throws: the first failure; the stream is not ended then.
    func run(waitsForInput: Bool) async throws(Failure) {
        var hasReceived = false
        var hasSent = false
        do throws(Errno) {
            _ = try BlockingThread { self.perform(.received, self.receive) }
            if direction.reads { _ = try BlockingThread { self.perform(.sent, self.send) } }
        } catch {
            throw .input(error)
        }
        for await event in events {
            switch event {
            case .received: hasReceived = true
            case .sent: hasSent = true
            case .failed(let failure): throw failure
            }
            if hasReceived, hasSent || !waitsForInput { return try finish(hasSent) }
        }
        throw .broken
    }

    private func perform(_ event: Event, _ body: () throws(Failure) -> Void) {
        do throws(Failure) {
            try body()
            newEvents.yield(event)
        } catch {
            newEvents.yield(.failed(error))
        }
    }

    /// Copies from the stream to standard output, until the other side has finished.
    private func receive() throws(Failure) {
        var buffer = [UInt8](repeating: 0, count: Self.bufferBytes)
        while true {
            let count = try call(failing: .broken) { read(self.number, &buffer, buffer.count) }
            guard count > 0 else { return }
            guard direction != .sending else { throw .unexpectedData }
            var rest = buffer.prefix(count)
            while !rest.isEmpty { rest = rest.dropFirst(try writeToOutput(rest)) }
            counts.withLock { $0.received += count }
        }
    }

    /// Writes some bytes to standard output; waits where another program has made it nonblocking.
    private func writeToOutput(_ bytes: ArraySlice<UInt8>) throws(Failure) -> Int {
        while true {
            do throws(Errno) {
                return try systemCall { bytes.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) } }
            } catch .wouldBlock {
                var output = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
                _ = try call(failing: .broken) { CInt(poll(&output, 1, -1)) }
            } catch {
                throw .output(error)
            }
        }
    }

    /// Copies from standard input to the stream, until the end of the input.
    private func send() throws(Failure) {
        var buffer = [UInt8](repeating: 0, count: Self.bufferBytes)
        while true {
            try waitForInput()
            let count: Int
            do throws(Errno) {
                count = try systemCall { read(STDIN_FILENO, &buffer, buffer.count) }
            } catch .wouldBlock {
                continue
            } catch {
                throw .input(error)
            }
            guard count > 0 else { break }
            var rest = buffer.prefix(count)
            while !rest.isEmpty {
                let piece = rest
                rest = rest.dropFirst(
                    try call(failing: .broken) {
                        piece.withUnsafeBytes { Glibc.send(self.number, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
                    }
                )
            }
            counts.withLock { $0.sent += count }
        }
        guard shutdown(number, CInt(SHUT_WR)) == 0 else { throw .broken }
    }

    /// Waits until there is input, or its end.
    ///
    /// The stream can break while there is none: nothing else reads it once the other side has finished.
    private func waitForInput() throws(Failure) {
        var both = [
            pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0), pollfd(fd: number, events: 0, revents: 0),
        ]
        _ = try call(failing: .broken) { CInt(poll(&both, 2, -1)) }
        guard both[1].revents == 0 else { throw .broken }
    }

    /// Ends this side of the stream; what is still in the socket's buffer is sent after this process has ended.
    private func finish(_ hasSent: Bool) throws(Failure) {
        guard hasSent || shutdown(number, CInt(SHUT_WR)) == 0 else { throw .broken }
        var off = linger(l_onoff: 0, l_linger: 0)
        setsockopt(number, SOL_SOCKET, SO_LINGER, &off, socklen_t(MemoryLayout<linger>.size))
    }

    private func call<Result: SignedInteger>(
        failing failure: Failure,
        _ body: () -> Result
    ) throws(Failure) -> Result {
        do throws(Errno) {
            return try systemCall(body)
        } catch {
            throw failure
        }
    }
}

/// How many bytes a stream has carried.
struct ByteCounts: Sendable, Equatable {
    var sent = 0
    var received = 0
}
