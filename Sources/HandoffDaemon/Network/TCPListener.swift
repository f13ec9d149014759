package import Epoll
import Glibc
import HandoffModel
import SystemPackage

/// A TCP socket that accepts connections at all addresses of this computer, IPv4 and IPv6.
///
/// It listens until ``close()``, or until the last reference to it is released.
package final class TCPListener: Sendable {
    /// The port, which the kernel has chosen.
    package let port: UInt16

    private let socket: ReactorDescriptor
    private let reactor: Reactor

    /// How many connections wait in the kernel to be accepted.
    private static let backlog: CInt = 8

    /// Begins to listen; only at IPv4 addresses where the system has no IPv6.
    ///
    /// - Throws: ``NetworkError`` with `unavailable`.
    package init(on reactor: Reactor) throws(NetworkError) {
        do throws(Errno) {
            let socket = try Self.open()
            port = try TCPSystemCalls.port(socket.rawValue)
            self.socket = try ReactorDescriptor(socket, on: reactor)
            self.reactor = reactor
        } catch {
            throw NetworkError(error, during: .listen)
        }
    }

    private static func open() throws(Errno) -> Descriptor {
        do throws(Errno) {
            let socket = try TCPSystemCalls.socket(AF_INET6)
            try TCPSystemCalls.acceptBothFamilies(socket.rawValue)
            try TCPSystemCalls.listen(socket.rawValue, at: .v6(0, 0), backlog: backlog)
            return socket
        } catch {
            let socket = try TCPSystemCalls.socket(AF_INET)
            try TCPSystemCalls.listen(socket.rawValue, at: .v4(0), backlog: backlog)
            return socket
        }
    }

    /// Waits for the next connection.
    ///
    /// - Throws: ``NetworkError`` with `closed`, `cancelled`, or `unavailable`.
    package func accept() async throws(NetworkError) -> TCPConnection {
        do throws(Errno) {
            while true {
                do throws(Errno) {
                    let accepted = Descriptor(owning: try await socket.whenReady(for: .reading, TCPSystemCalls.accept))
                    try TCPSystemCalls.configure(accepted.rawValue)
                    return TCPConnection(try ReactorDescriptor(accepted, on: reactor))
                } catch .connectionAbort {
                    // The other end has given up meanwhile (accept(2)).
                    continue
                }
            }
        } catch {
            throw NetworkError(error, during: .listen)
        }
    }

    /// Stops listening; connections that were not accepted are reset.
    package func close() {
        socket.close()
    }
}
