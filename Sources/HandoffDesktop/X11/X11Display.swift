import Epoll
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

    /// Connects to its server, without waiting.
    ///
    /// - Throws: ``DisplayError`` with `unreachable`, also when so many connections wait for the server already that another
    ///   one would have to wait.
    func connect() throws(DisplayError) -> LocalConnection {
        do throws(Errno) {
            return try LocalConnection(to: FilePath(path))
        } catch {
            throw DisplayError(.unreachable, "\(path): \(error)")
        }
    }
}
