import DBus
import Epoll
private import Glibc
import HandoffBus
import SystemPackage

/// The connection over which the two programs at the ends of a stream tell each other that they have all of it, in
/// blocking mode: for a thread of its own.
struct BlockingReceipts: Sendable {
    private let socket: UnixFD
    private let number: CInt

    /// Begins the use of receipts for a stream that has not been finished.
    ///
    /// - Throws: `DBusError`, also if the stream has broken already.
    init(for stream: UnixFD, from client: HandoffClient) async throws {
        self.init(try await client.confirmStream(stream))
    }

    init(_ socket: UnixFD) {
        self.socket = socket
        number = socket.withFileDescriptor { $0 }
    }

    /// Tells the daemon that this program has everything and has put it in its place.
    ///
    /// - Throws: the error of send(2), with which the stream has broken.
    func give() throws(Errno) {
        let receipt: [UInt8] = [1]
        _ = try systemCall {
            receipt.withUnsafeBytes { send(number, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
        }
    }

    /// Waits until the other program has everything that this one has sent; false if that will not be known any more.
    ///
    /// - Throws: the error of read(2).
    func wait() throws(Errno) -> Bool {
        var byte: UInt8 = 0
        return try systemCall { read(number, &byte, 1) } == 1
    }
}
