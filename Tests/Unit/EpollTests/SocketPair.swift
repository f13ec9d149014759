import CLinux
import Epoll
import Glibc
import SystemPackage

/// Two connected sockets that preserve the boundaries of messages, each with its descriptor on `reactor`.
func socketPair(on reactor: Reactor) throws -> (ReactorDescriptor, ReactorDescriptor) {
    var numbers: [CInt] = [0, 0]
    let type = CInt(SOCK_SEQPACKET.rawValue) | CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
    _ = try systemCall { socketpair(AF_UNIX, type, 0, &numbers) }
    let first = Descriptor(owning: numbers[0])
    let second = Descriptor(owning: numbers[1])
    return (try ReactorDescriptor(first, on: reactor), try ReactorDescriptor(second, on: reactor))
}

/// Reads one message of up to 16 bytes when there is one.
func message(on socket: ReactorDescriptor) async throws -> [UInt8] {
    try await socket.whenReady(for: .reading) { descriptor throws(Errno) in
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = try systemCall { recv(descriptor, &bytes, 16, 0) }
        return Array(bytes.prefix(count))
    }
}

/// Sends a message, when there is room.
func send(_ message: [UInt8], on socket: ReactorDescriptor) async throws {
    _ = try await socket.whenReady(for: .writing) { descriptor throws(Errno) in
        try systemCall { Glibc.send(descriptor, message, message.count, CInt(MSG_NOSIGNAL)) }
    }
}
