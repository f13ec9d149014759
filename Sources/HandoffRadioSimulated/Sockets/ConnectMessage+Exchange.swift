import AsyncSupport
import Epoll
private import SystemPackage

extension ConnectMessage {
    /// Sends the message; returns false when the other side is gone.
    func send(on socket: ReactorDescriptor) -> Bool {
        let sent: Void? = try? socket.perform { descriptor throws(Errno) in
            try UnixSocket.send(bytes, on: descriptor)
        }
        return sent != nil
    }

    /// Returns the other side's message; nil when it closes the socket, sends an invalid message, or nothing within
    /// `timeout`.
    static func receive(on socket: ReactorDescriptor, within timeout: Duration) async -> ConnectMessage? {
        let bytes = try? await withTimeout(timeout, throwing: CancellationError()) {
            try await socket.whenReady(for: .reading) { descriptor throws(Errno) in
                try UnixSocket.receive(atMost: maximumLength, from: descriptor)
            }
        }
        return bytes.flatMap(ConnectMessage.init)
    }
}
