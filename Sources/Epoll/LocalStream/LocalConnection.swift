private import Glibc
package import SystemPackage

/// A connection to the socket of another program on this computer (unix(7)), before anything is read or written.
package struct LocalConnection: ~Copyable, Sendable {
    /// The program that listens on a socket.
    package struct Server: Hashable, Sendable {
        /// Its process, as the kernel has noted it when it began to listen.
        package let process: UInt32
        /// The user that it ran as then.
        package let user: UInt32
    }

    let descriptor: Descriptor

    /// Connects without waiting.
    ///
    /// - Throws: `EAGAIN` when so many connections wait for the server already that another one would have to wait,
    ///   `ENAMETOOLONG` for a path that no socket can have, and the other errors of connect(2).
    package init(to path: FilePath) throws(Errno) {
        descriptor = try Self.connect(to: path)
    }

    private static func connect(to path: FilePath) throws(Errno) -> Descriptor {
        let flags = CInt(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = try Descriptor { socket(AF_UNIX, CInt(SOCK_STREAM.rawValue) | flags, 0) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let (name, number) = (Array(path.string.utf8), descriptor.rawValue)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { place in
            // One byte is left for the NUL at the end.
            guard name.count < place.count else { return false }
            place.copyBytes(from: name)
            return true
        }
        guard fits else { throw .fileNameTooLong }
        _ = try withUnsafePointer(to: &address) { pointer throws(Errno) in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer throws(Errno) in
                try systemCall { Glibc.connect(number, pointer, socklen_t(MemoryLayout<sockaddr_un>.size)) }
            }
        }
        return descriptor
    }

    /// The program at the other end.
    package var server: Server {
        get throws(Errno) {
            // `struct ucred`: the process, the user and the group.
            var credentials: [UInt32] = [0, 0, 0]
            var length = socklen_t(MemoryLayout<UInt32>.stride * credentials.count)
            _ = try systemCall { getsockopt(descriptor.rawValue, SOL_SOCKET, SO_PEERCRED, &credentials, &length) }
            return Server(process: credentials[0], user: credentials[1])
        }
    }

    /// Makes a stream of the connection.
    ///
    /// - Parameter reactor: the reactor on which reads and writes wait.
    /// - Throws: the error of epoll_ctl(2).
    package consuming func stream(on reactor: Reactor) throws(Errno) -> LocalStream {
        LocalStream(try ReactorDescriptor(descriptor, on: reactor))
    }
}
