package import Epoll
package import HandoffModel
import SystemPackage

/// An open TCP connection: bytes in order, in both directions.
///
/// At most one task sends and one receives at a time. It is closed by ``close()``, or when the last reference to it is
/// released.
package final class TCPConnection: Sendable {
    private let socket: ReactorDescriptor

    init(_ socket: ReactorDescriptor) {
        self.socket = socket
    }

    /// Opens a connection.
    ///
    /// - Parameters:
    ///   - address: the other computer.
    ///   - port: the port there.
    ///   - interface: the interface of an address that needs one; 0 for the others.
    ///   - reactor: the reactor on which reads and writes wait.
    /// - Throws: ``NetworkError``; `cancelled` when the task was cancelled. Without a cancellation, the kernel gives up
    ///   after minutes.
    package static func connect(
        to address: IPAddress,
        port: UInt16,
        interface: UInt32,
        on reactor: Reactor
    ) async throws(NetworkError) -> TCPConnection {
        do throws(Errno) {
            let socket = try TCPSystemCalls.socket(address.family)
            try TCPSystemCalls.configure(socket.rawValue)
            try TCPSystemCalls.beginConnect(socket.rawValue, to: address, port: port, interface: interface)
            let descriptor = try ReactorDescriptor(socket, on: reactor)
            try await descriptor.ready(for: .writing)
            if let error = try descriptor.perform(TCPSystemCalls.pendingError) { throw error }
            return TCPConnection(descriptor)
        } catch {
            throw NetworkError(error, during: .connect)
        }
    }

    /// Sends all bytes; waits while the other end does not read.
    ///
    /// - Throws: ``NetworkError`` with `connectionLost`, `closed` or `cancelled`; some of the bytes may have been sent.
    package func send(_ bytes: [UInt8]) async throws(NetworkError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest
            let count = try await transfer(.writing) { number throws(Errno) in
                try SocketTransfer.send(piece, to: number)
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Returns the next 1 to `count` bytes; nil when the other end has closed the connection.
    ///
    /// - Throws: ``NetworkError`` with `connectionLost`, `closed` or `cancelled`.
    package func receive(atMost count: Int) async throws(NetworkError) -> [UInt8]? {
        let bytes = try await transfer(.reading) { number throws(Errno) in
            try SocketTransfer.receive(atMost: count, from: number)
        }
        return bytes.isEmpty ? nil : bytes
    }

    /// Closes the connection and wakes the tasks that use it.
    package func close() {
        socket.close()
    }

    private func transfer<Result>(
        _ direction: Reactor.Direction,
        _ call: (CInt) throws(Errno) -> Result
    ) async throws(NetworkError) -> Result {
        do throws(Errno) {
            return try await socket.whenReady(for: direction, call)
        } catch {
            throw NetworkError(error, during: .transfer)
        }
    }
}
