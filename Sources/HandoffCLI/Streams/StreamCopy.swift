import AsyncSupport
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
        /// Everything was given to handoffd, and the other side has not confirmed that it has it.
        case unconfirmed
    }

    private enum Event: Sendable {
        case received
        case sent
        case failed(Failure)
    }

    private static let bufferBytes = 256 * 1024

    private let stream: UnixFD
    private let receipts: BlockingReceipts
    private let number: CInt
    private let direction: StreamDirection
    private let counts = Mutex(ByteCounts())
    private let events: AsyncStream<Event>
    private let newEvents: AsyncStream<Event>.Continuation

    /// - Parameters:
    ///   - stream: a connected socket that resets the connection when it is closed before ``run(waitsForInput:)`` has
    ///     returned; it is set to nonblocking mode.
    ///   - receipts: those of the stream.
    ///   - direction: what is copied.
    init(_ stream: UnixFD, _ receipts: BlockingReceipts, _ direction: StreamDirection) {
        self.stream = stream
        self.receipts = receipts
        self.direction = direction
        number = stream.withFileDescriptor { $0 }
        (events, newEvents) = AsyncStream.makeStream()
    }

    /// How many bytes were copied so far.
    var byteCounts: ByteCounts { counts.withLock { $0 } }

    /// Copies until both directions have ended, and ends this side of the stream; returns when the other side has confirmed
    /// that it has everything, unless this side only receives.
    ///
    /// - Parameter waitsForInput: whether this side ends only with standard input; otherwise it ends when the other
    ///   side has.
    /// - Throws: the first failure; the stream is not ended then.
    func run(waitsForInput: Bool) async throws(Failure) {
        let hasSent = try await copy(waitsForInput: waitsForInput)
        guard hasSent || shutdown(number, CInt(SHUT_WR)) == 0 else { throw .broken }
        try await confirm()
        // Nothing waits to be sent any more.
        var off = linger(l_onoff: 0, l_linger: 0)
        setsockopt(number, SOL_SOCKET, SO_LINGER, &off, socklen_t(MemoryLayout<linger>.size))
    }

    /// Copies until both directions have ended; returns whether this side has ended its own.
    private func copy(waitsForInput: Bool) async throws(Failure) -> Bool {
        var hasReceived = false
        var hasSent = false
        // A pipe is locked while bytes are moved from or to it: the program at its other end could not even be killed.
        _ = try call(failing: .broken) { fcntl(number, F_SETFL, O_NONBLOCK) }
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
            if hasReceived, hasSent || !waitsForInput { return hasSent }
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
        var splice = PipeSplice(from: number, to: STDOUT_FILENO)
        var buffer: [UInt8] = []
        while true {
            try wait(for: POLLIN, on: number)
            guard let count = try splice.isPossible ? moveToOutput(&splice) : copyToOutput(&buffer) else { continue }
            guard count > 0 else { return }
            counts.withLock { $0.received += count }
        }
    }

    /// Moves what has arrived to standard output; returns how much, 0 at the end, nil where it has to be tried again.
    private func moveToOutput(_ splice: inout PipeSplice) throws(Failure) -> Int? {
        // Of data that nobody expects, nothing is passed on.
        guard direction != .sending else { return splice.giveUp() }
        do throws(Errno) {
            return try splice.move()
        } catch .wouldBlock {
            // Another program has made the output nonblocking.
            try wait(for: POLLOUT, on: STDOUT_FILENO)
            return nil
        } catch .brokenPipe {
            throw .output(.brokenPipe)
        } catch {
            throw .broken
        }
    }

    /// Copies what has arrived to standard output, as ``moveToOutput(_:)`` does.
    private func copyToOutput(_ buffer: inout [UInt8]) throws(Failure) -> Int? {
        if buffer.isEmpty { buffer = [UInt8](repeating: 0, count: Self.bufferBytes) }
        let count: Int
        do throws(Errno) {
            count = try systemCall { read(number, &buffer, buffer.count) }
        } catch .wouldBlock {
            return nil
        } catch {
            throw .broken
        }
        guard count == 0 || direction != .sending else { throw .unexpectedData }
        var rest = buffer.prefix(count)
        while !rest.isEmpty { rest = rest.dropFirst(try writeToOutput(rest)) }
        return count
    }

    /// Writes some bytes to standard output; waits where another program has made it nonblocking.
    private func writeToOutput(_ bytes: ArraySlice<UInt8>) throws(Failure) -> Int {
        while true {
            do throws(Errno) {
                return try systemCall { bytes.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) } }
            } catch .wouldBlock {
                try wait(for: POLLOUT, on: STDOUT_FILENO)
            } catch {
                throw .output(error)
            }
        }
    }

    /// Copies from standard input to the stream, until the end of the input.
    private func send() throws(Failure) {
        var splice = PipeSplice(from: STDIN_FILENO, to: number)
        var buffer: [UInt8] = []
        while true {
            try waitForInput()
            guard let count = try splice.isPossible ? moveFromInput(&splice) : copyFromInput(&buffer) else { continue }
            guard count > 0 else { break }
            counts.withLock { $0.sent += count }
        }
        guard shutdown(number, CInt(SHUT_WR)) == 0 else { throw .broken }
    }

    /// Moves standard input to the stream; returns how much, 0 at the end, nil where it has to be tried again.
    private func moveFromInput(_ splice: inout PipeSplice) throws(Failure) -> Int? {
        do throws(Errno) {
            return try splice.move()
        } catch .wouldBlock {
            try wait(for: POLLOUT, on: number)
            return nil
        } catch {
            // A pipe has no errors of its own.
            throw .broken
        }
    }

    /// Copies standard input to the stream, as ``moveFromInput(_:)`` does.
    private func copyFromInput(_ buffer: inout [UInt8]) throws(Failure) -> Int? {
        if buffer.isEmpty { buffer = [UInt8](repeating: 0, count: Self.bufferBytes) }
        let count: Int
        do throws(Errno) {
            count = try systemCall { read(STDIN_FILENO, &buffer, buffer.count) }
        } catch .wouldBlock {
            return nil
        } catch {
            throw .input(error)
        }
        var rest = buffer.prefix(count)
        while !rest.isEmpty { rest = rest.dropFirst(try writeToStream(rest)) }
        return count
    }

    /// Writes some bytes to the stream; waits while there is no room.
    private func writeToStream(_ bytes: ArraySlice<UInt8>) throws(Failure) -> Int {
        while true {
            do throws(Errno) {
                return try systemCall {
                    bytes.withUnsafeBytes { Glibc.send(number, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
                }
            } catch .wouldBlock {
                try wait(for: POLLOUT, on: number)
            } catch {
                throw .broken
            }
        }
    }

    /// Waits until a descriptor is ready, or has failed, of which the next call learns.
    private func wait(for event: CInt, on descriptor: CInt) throws(Failure) {
        var wait = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        _ = try call(failing: .broken) { CInt(poll(&wait, 1, -1)) }
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

    /// Has the receipts exchanged on a thread of its own.
    private func confirm() async throws(Failure) {
        let end = Promise<Result<Void, Failure>>()
        do throws(Errno) {
            _ = try BlockingThread {
                end.fulfil(Result { () throws(Failure) in try self.exchangeReceipts() })
            }
        } catch {
            throw .input(error)
        }
        guard let outcome = try? await end.value() else { throw .unconfirmed }
        try outcome.get()
    }

    /// Gives the receipt for what has been received, and waits for that of the other side.
    ///
    /// A side that only receives does not wait: it has everything, whether or not the other one learns of it.
    private func exchangeReceipts() throws(Failure) {
        if direction != .sending { try keepOutput() }
        do throws(Errno) {
            try receipts.give()
            if direction != .receiving, try !receipts.wait() { throw Errno.connectionReset }
        } catch {
            throw direction == .receiving ? .broken : .unconfirmed
        }
    }

    /// Waits until a file that is the standard output is on its disk, which may fail where writing has not: over a network,
    /// and where the disk has become full.
    private func keepOutput() throws(Failure) {
        do throws(Errno) {
            _ = try systemCall { fsync(STDOUT_FILENO) }
        } catch .invalidArgument, .notSupported, .readOnlyFileSystem {
            // It is no file.
        } catch {
            throw .output(error)
        }
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
