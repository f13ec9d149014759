import Glibc
import HandoffTestSupport
import SystemPackage
import TestLimits
import Testing

@testable import HandoffDesktop

@Suite("Which compositor is that of the session", .endsWithin(minutes: 10))
struct SessionCompositorTests {
    /// A directory for files of running programs, with sockets on which this process listens.
    private final class Session {
        let directory = FilePath("/tmp/handoff-session-\(getpid())-\(UInt32.random(in: .min ... .max))")
        private var sockets: [CInt] = []

        init() throws {
            try #require(mkdir(directory.string, 0o700) == 0)
        }

        deinit {
            for socket in sockets { close(socket) }
        }

        func listen(_ name: String) throws {
            let socket = Glibc.socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            sockets.append(socket)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            let path = directory.appending(name).string
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            let bound = withUnsafePointer(to: &address) { address in
                address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            try #require(bound == 0 && Glibc.listen(socket, 64) == 0)
        }

        func found(_ variables: [String: String] = [:]) -> SwayFocus? {
            SessionCompositor(environment: variables.merging(["XDG_RUNTIME_DIR": directory.string]) { $1 })?.find()
        }

        func sway(_ name: String) -> SwayFocus { SwayFocus(socket: directory.appending(name)) }
    }

    /// Runs `body` with a directory in which another process serves the display wayland-1, and a socket as that of sway.
    private static func run(_ body: @escaping @Sendable (Session, _ other: String) throws -> Void) async throws {
        let session = try Session()
        let script = FilePath(#filePath).removingLastComponent().removingLastComponent().removingLastComponent()
            .appending("Scripts/imitation-compositor.py")
        let arguments = [script.string, session.directory.string, "silent"]
        nonisolated(unsafe) let shared = session
        try await withTranscript(of: "/usr/bin/python3", arguments) { process, output in
            try await output.line(containing: "ready")
            try body(shared, "sway-ipc.0.\(process.processID).sock")
        }
        _ = try await HandoffTestSupport.run("/bin/rm", ["-r", session.directory.string])
    }

    @Test("A socket counts if its process serves the display of the session, wherever a variable points")
    func servers() async throws {
        try await Self.run { session, other in
            let own = "sway-ipc.0.1.sock"
            #expect(session.found() == session.sway(other))
            try session.listen(own)
            #expect(session.found() == session.sway(other))
            // Two displays, either of which may be meant.
            try session.listen("wayland-0")
            #expect(session.found() == nil)
            #expect(session.found(["WAYLAND_DISPLAY": "wayland-0"]) == session.sway(own))
            #expect(session.found(["WAYLAND_DISPLAY": "wayland-1"]) == session.sway(other))
            let display = session.directory.appending("wayland-0").string
            let stale = session.directory.appending(other).string
            #expect(session.found(["WAYLAND_DISPLAY": display, "SWAYSOCK": stale]) == session.sway(own))
            #expect(session.found(["WAYLAND_DISPLAY": "wayland-7"]) == nil)
            try session.listen("elsewhere")
            let known = ["WAYLAND_DISPLAY": display, "SWAYSOCK": session.directory.appending("elsewhere").string]
            #expect(session.found(known) == session.sway("elsewhere"))
        }
    }

    @Test("Without sockets, or a directory in which they might be, there is none")
    func none() throws {
        let session = try Session()
        #expect(session.found() == nil)
        try session.listen("wayland-0")
        #expect(session.found() == nil)
        #expect(SessionCompositor(environment: [:])?.find() == nil)
        #expect(SessionCompositor(environment: ["XDG_RUNTIME_DIR": "relative"])?.find() == nil)
        unlink(session.directory.appending("wayland-0").string)
        rmdir(session.directory.string)
    }
}
