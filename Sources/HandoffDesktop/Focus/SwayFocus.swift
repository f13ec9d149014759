import AsyncSupport
import Epoll
import SystemPackage

/// Which process has the window with the focus, as sway tells over its socket (sway-ipc(7)).
///
/// Of a window of Wayland, sway has the process from the kernel; of one of X11, what the program says about itself.
struct SwayFocus: Hashable, Sendable {
    /// How long it may take to answer at the beginning.
    private static let patience = Duration.seconds(10)

    let socket: FilePath

    /// Follows the focus until sway ends.
    ///
    /// - Parameters:
    ///   - reactor: the reactor on which it waits.
    ///   - change: is called first and after each change.
    /// - Throws: ``DisplayError``, `Errno`, `CancellationError`.
    func follow(on reactor: Reactor, _ change: (FocusReport) -> Void) async throws {
        let stream = try LocalConnection(to: socket).stream(on: reactor)
        defer { stream.close() }
        let connection = CompositorStream(stream)
        let silence = DisplayError(.disconnected, "sway does not answer.")
        change(try await withTimeout(Self.patience, throwing: silence) { try await Self.subscribe(connection) })
        while true {
            let message = try await SwayMessage.next(on: connection)
            if message.kind == .window, let report = message.changedFocus { change(report) }
        }
    }

    /// Has sway tell about each change from now on; returns what has the focus.
    private static func subscribe(_ connection: CompositorStream) async throws -> FocusReport {
        try await connection.write(SwayMessage(.subscribe, #"["window"]"#).encoded)
        guard try await answer(to: .subscribe, on: connection).isSuccess else {
            throw DisplayError(.unsupported, "sway refuses to tell about windows.")
        }
        try await connection.write(SwayMessage(.getTree).encoded)
        // What has changed before is in the tree already.
        return try await answer(to: .getTree, on: connection).focusInTree
    }

    private static func answer(to kind: SwayMessage.Kind, on connection: CompositorStream) async throws -> SwayMessage {
        while true {
            let message = try await SwayMessage.next(on: connection)
            if message.kind == kind { return message }
        }
    }
}
