import Epoll
import Glibc
import SystemPackage

/// Finds sway, if it is the compositor of this session: it tells over a socket of its own which window has the focus.
///
/// Variables of the environment may be those of an earlier compositor, and another one may run in a window of this one. So a
/// socket counts if the process listens on it that also serves the session's display.
struct SessionCompositor: Sendable {
    /// The most names of a directory that are looked at, and the most of them that may be sockets.
    private static let mostNames = (all: 4096, sockets: 32)

    /// The user's directory for files of running programs.
    private let directory: FilePath
    private let environment: [String: String]

    /// - Parameter environment: the variables of the environment; nil if they do not name the user's directory for files of
    ///   running programs, as `XDG_RUNTIME_DIR`.
    init?(environment: [String: String]) {
        guard let directory = environment["XDG_RUNTIME_DIR"], directory.hasPrefix("/") else { return nil }
        (self.directory, self.environment) = (FilePath(directory), environment)
    }

    /// Watches the directory in which sockets of compositors appear.
    func watch() -> DirectoryWatch { DirectoryWatch([directory], for: .appearance) }

    /// Whether there are sockets of compositors, one of which may turn out to be that of this session.
    var mayAppear: Bool { !sockets.isEmpty }

    /// Looks for it, and waits for nothing.
    func find() -> SwayFocus? {
        guard mayAppear, let server else { return nil }
        return sockets.first { Self.server(of: $0) == server }.map { SwayFocus(socket: $0) }
    }

    private var sockets: [FilePath] {
        let known = variable("SWAYSOCK").map { [FilePath($0)] } ?? []
        return known + paths(in: directory) { $0.hasPrefix("sway-ipc.") && $0.hasSuffix(".sock") }
    }

    /// The program that serves the display of Wayland; nil if there is none, or several that may be meant.
    private var server: LocalConnection.Server? {
        let displays =
            if let name = variable("WAYLAND_DISPLAY") {
                [directory.pushing(FilePath(name))]
            } else {
                paths(in: directory) { $0.hasPrefix("wayland-") && !$0.hasSuffix(".lock") }
            }
        let servers = Set(displays.compactMap(Self.server))
        return servers.count == 1 ? servers.first : nil
    }

    private func variable(_ name: String) -> String? {
        environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The program of this user that listens on a socket.
    private static func server(of socket: FilePath) -> LocalConnection.Server? {
        guard let server = try? LocalConnection(to: socket).server, server.user == geteuid() else { return nil }
        return server
    }

    /// The files of a directory whose names fulfil `condition`.
    private func paths(in directory: FilePath, where condition: (String) -> Bool) -> [FilePath] {
        guard let stream = opendir(directory.string) else { return [] }
        defer { closedir(stream) }
        var (paths, count): ([FilePath], Int) = ([], 0)
        while let entry = readdir(stream), count < Self.mostNames.all, paths.count < Self.mostNames.sockets {
            count += 1
            let name = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if condition(name) { paths.append(directory.appending(name)) }
        }
        return paths
    }
}
