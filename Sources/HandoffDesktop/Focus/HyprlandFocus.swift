import AsyncSupport
import Epoll
import LocalStream
import SystemPackage

/// Which process has the window with the focus, as Hyprland tells over its two sockets (Hyprland Wiki, "IPC").
///
/// One tells that another window has the focus, the other which process that is. Of a window of Wayland, Hyprland has it from
/// the kernel; of one of X11, what the program says about itself.
struct HyprlandFocus: Hashable, Sendable {
    /// How long it may take to answer; it gives up a client that has not asked within five seconds.
    private static let patience = Duration.seconds(5)
    /// The longest event that is kept: its data have at most 1024 bytes.
    private static let longestEvent = 4096
    /// The longest answer about a window, in which its title is.
    private static let longestAnswer = 1 << 20
    /// The event that another window has the focus, with the address of the window, or that none has it, with nothing.
    private static let event = Array("activewindowv2>>".utf8)

    /// The directory of its sockets.
    let directory: FilePath

    /// Follows the focus until Hyprland ends.
    ///
    /// - Parameters:
    ///   - reactor: the reactor on which it waits.
    ///   - change: is called first and after each change.
    /// - Throws: ``FocusError``, `Errno`, `CancellationError`.
    func follow(on reactor: Reactor, _ change: (FocusReport) -> Void) async throws {
        let stream = try LocalConnection(to: Self.eventSocket(in: directory)).stream(on: reactor)
        defer { stream.close() }
        let events = CompositorStream(stream)
        change(try await focus(on: reactor))
        while true {
            guard let line = try await events.line(atMost: Self.longestEvent), line.starts(with: Self.event) else {
                continue
            }
            change(line.count == Self.event.count ? .nothing : try await focus(on: reactor))
        }
    }

    /// The socket on which it tells events, and reads nothing.
    static func eventSocket(in directory: FilePath) -> FilePath { directory.appending(".socket2.sock") }

    /// Asks what has the focus now.
    ///
    /// Hyprland shows nothing new while it waits for a request or a client that reads, so this asks at once.
    private func focus(on reactor: Reactor) async throws -> FocusReport {
        let stream = try LocalConnection(to: directory.appending(".socket.sock")).stream(on: reactor)
        defer { stream.close() }
        let silence = FocusError(.disconnected, "Hyprland does not answer.")
        let answer = try await withTimeout(Self.patience, throwing: silence) {
            let connection = CompositorStream(stream)
            try await connection.write(Array("j/activewindow".utf8))
            return try await connection.rest(atMost: Self.longestAnswer)
        }
        return answer.map(Self.report) ?? .unknown
    }

    /// What an answer says: it describes a window, or is an empty object.
    static func report(_ answer: [UInt8]) -> FocusReport {
        var (process, isWindow): (Int64?, Bool) = (nil, false)
        var json = CompositorJSON(answer)
        do throws(CompositorJSON.Malformed) {
            try json.readObject { json, key throws(CompositorJSON.Malformed) in
                isWindow = true
                if key == "pid" { process = try json.readInteger() } else { try json.skipValue() }
            }
        } catch {
            return .unknown
        }
        return isWindow && process == nil ? .unknown : FocusReport(windowOf: process)
    }
}
