import DBus
import Epoll
private import Glibc
import HandoffModel
private import Synchronization
import SystemPackage

/// One reception of a file from a stream, on a thread of its own: files cannot be written without blocking.
final class CopyReception: Sendable {
    /// What was received.
    struct Result: Sendable {
        let file: CopiedFile
        /// The name that it has here.
        let name: [UInt8]
        /// Whether the file system keeps where it came from.
        let isNoted: Bool
    }

    /// Why there is no copy.
    enum Failure: Error {
        /// The stream ended early, or with an error.
        case broken
        /// What arrives is no file with a name.
        case noFile
        /// It is larger than allowed.
        case tooLarge(CopiedFile, limit: Int)
        /// There is no room for it.
        case noRoom(CopiedFile, available: Int)
        /// It cannot be written.
        case unwritable(Errno)
    }

    /// What a copy leaves free on the disk, in bytes: what a session needs to go on.
    private static let reserve = 64 * 1024 * 1024
    private static let bufferBytes = 256 * 1024

    private let stream: UnixFD
    private let number: CInt
    private let directory: CopyDirectory
    private let limit: Int
    private let deviceName: String
    private let counts = Mutex<(received: Int, size: Int?)>((0, nil))
    private let outcome = Mutex<Swift.Result<Result, Failure>>(.failure(.broken))

    /// - Parameters:
    ///   - stream: a connected socket in blocking mode that resets the connection when it is closed early.
    ///   - directory: where the file is put.
    ///   - limit: the most bytes of the file.
    ///   - deviceName: the name of the other device, for the note about the origin.
    init(_ stream: UnixFD, into directory: CopyDirectory, limit: Int, from deviceName: String) {
        self.stream = stream
        self.directory = directory
        self.limit = limit
        self.deviceName = deviceName
        number = stream.withFileDescriptor { $0 }
    }

    /// How many bytes of the file have arrived, and how many it has, once that is known.
    var byteCounts: (received: Int, size: Int?) { counts.withLock { $0 } }

    /// Receives the file; when the task is cancelled, what has arrived is removed.
    func run() async throws(Failure) -> Result {
        let thread: BlockingThread
        do throws(Errno) {
            thread = try BlockingThread { [self] in
                let result = Swift.Result { () throws(Failure) in try receive() }
                outcome.withLock { $0 = result }
            }
        } catch {
            throw .unwritable(error)
        }
        await withTaskCancellationHandler {
            await thread.ended()
        } onCancel: {
            // Only this direction: the other device must not take it for an end.
            shutdown(number, CInt(SHUT_RD))
        }
        return try outcome.withLock { $0 }.get()
    }

    private func receive() throws(Failure) -> Result {
        var rest: ArraySlice<UInt8> = []
        let file = try readLine(&rest)
        guard let name = CopyName(file.name) else { throw .noFile }
        guard file.size <= limit else { throw .tooLarge(file, limit: limit) }
        let available = directory.availableBytes - Self.reserve
        guard file.size <= available else { throw .noRoom(file, available: max(0, available)) }
        do throws(Errno) {
            let copy = try NewCopy(in: directory)
            try copy.write(rest.prefix(file.size))
            var missing = file.size - rest.count
            counts.withLock { $0 = (rest.count, file.size) }
            while missing > 0 {
                let bytes = try read()
                guard !bytes.isEmpty, bytes.count <= missing else { throw .connectionReset }
                try copy.write(bytes[...])
                missing -= bytes.count
                counts.withLock { $0.received += bytes.count }
            }
            // The end says that the file was not changed while it was sent.
            guard missing == 0, try read().isEmpty else { throw .connectionReset }
            let isNoted = copy.note(origin: origin(of: file))
            let given = try copy.place(as: name, modificationTime: file.modificationTime)
            confirm()
            return Result(file: file, name: given, isNoted: isNoted)
        } catch .connectionReset {
            throw .broken
        } catch {
            throw .unwritable(error)
        }
    }

    /// Reads the first line; `rest` is what has arrived after it.
    private func readLine(_ rest: inout ArraySlice<UInt8>) throws(Failure) -> CopiedFile {
        var bytes: [UInt8] = []
        while true {
            if let end = bytes.firstIndex(of: UInt8(ascii: "\n")) {
                guard let file = CopiedFile(line: bytes[..<end]) else { throw .noFile }
                rest = bytes[(end + 1)...]
                return file
            }
            guard bytes.count <= CopiedFile.maximumLineBytes else { throw .noFile }
            guard let more = try? read() else { throw .broken }
            guard !more.isEmpty else { throw bytes.isEmpty ? .broken : .noFile }
            bytes += more
        }
    }

    /// The next bytes of the stream; none at its end.
    ///
    /// - Throws: `ECONNRESET` if the stream has failed, however.
    private func read() throws(Errno) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: Self.bufferBytes)
        do throws(Errno) {
            let count = try systemCall { Glibc.read(number, &buffer, buffer.count) }
            return Array(buffer.prefix(count))
        } catch {
            throw .connectionReset
        }
    }

    /// Tells the other device that the file is in its place; if it does not hear that, it says that it does not know.
    private func confirm() {
        let answer = CopiedFile.confirmation
        _ = answer.withUnsafeBytes { send(number, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
        shutdown(number, CInt(SHUT_WR))
        var off = linger(l_onoff: 0, l_linger: 0)
        setsockopt(number, SOL_SOCKET, SO_LINGER, &off, socklen_t(MemoryLayout<linger>.size))
    }

    /// An address that says from which device it came, and under which name.
    private func origin(of file: CopiedFile) -> String {
        let device = deviceName.utf8.filter { $0 != UInt8(ascii: "/") }
        let path = [UInt8(ascii: "/")] + device + [UInt8(ascii: "/")] + file.name
        guard let url = try? FileURL(path: path) else { return "handoff:" }
        return "handoff:/" + url.description.dropFirst("file://".count)
    }
}
