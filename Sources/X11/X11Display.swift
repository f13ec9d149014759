private import Glibc
private import SystemPackage

/// A display of this computer, as the variable `DISPLAY` names it (X(7), "Display Names").
package struct X11Display: Hashable, Sendable {
    /// Its number, as text: authority files compare it so.
    package let number: String

    /// Parses a name such as `:0` or `:1.0`; nil for a display of another computer, and for any other text.
    package init?(_ name: String) {
        guard let colon = name.lastIndex(of: ":"), ["", "unix"].contains(name[..<colon]) else { return nil }
        let numbers = name[name.index(after: colon)...].split(separator: ".", omittingEmptySubsequences: false)
        guard let first = numbers.first, numbers.count <= 2, UInt16(first) != nil,
            numbers.allSatisfy({
                !$0.isEmpty && $0.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            })
        else { return nil }
        number = String(first)
    }

    /// The path of its socket.
    private var path: String { "/tmp/.X11-unix/X\(number)" }

    /// Connects to its server, without waiting; returns the socket.
    ///
    /// - Throws: ``X11Error`` with `unreachable`, also when so many connections wait for the server already that another
    ///   one would have to wait.
    func connect() throws(X11Error) -> CInt {
        try Self.connect(to: path)
    }

    /// Connects to the server with the socket at `path`, as ``connect()``.
    static func connect(to path: String) throws(X11Error) -> CInt {
        let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let socket = Glibc.socket(AF_UNIX, CInt(kind), 0)
        guard socket >= 0 else { throw X11Error(.unreachable, "No socket: \(Errno(rawValue: errno))") }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let result = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else {
            let error = Errno(rawValue: errno)
            close(socket)
            throw X11Error(.unreachable, "\(path): \(error)")
        }
        return socket
    }
}
