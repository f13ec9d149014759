package import Epoll
private import SystemPackage

/// Which process has the window with the focus, as the window manager and the server of a display tell.
package struct X11Focus: Sendable {
    /// The numbers that the server has for names.
    private struct Atoms {
        /// The window with the focus, in a property of the root window (Extended Window Manager Hints 1.5).
        let activeWindow: UInt32
        /// What a window is for, in a property of its own: a list of types.
        let windowType: UInt32
        /// The types of the windows with which a person uses no app: the background with its icons, and panels.
        let furniture: Set<UInt32>

        init(_ connection: X11Connection) async throws {
            activeWindow = try await connection.atom("_NET_ACTIVE_WINDOW")
            windowType = try await connection.atom("_NET_WM_WINDOW_TYPE")
            furniture = [
                try await connection.atom("_NET_WM_WINDOW_TYPE_DESKTOP"),
                try await connection.atom("_NET_WM_WINDOW_TYPE_DOCK"),
            ]
        }
    }

    /// The extension that tells the process of a window: unlike `_NET_WM_PID`, as the kernel does (X Resource 1.2).
    private static let resources = "X-Resource"
    /// The extension of a server that shows its windows on a desktop of Wayland (Xwayland 23.1 and newer).
    private static let wayland = "XWAYLAND"

    private let display: X11Display
    private let authority: X11Authority

    package init(of display: X11Display, _ authority: X11Authority) {
        (self.display, self.authority) = (display, authority)
    }

    /// Follows the focus until cancelled.
    ///
    /// - Parameters:
    ///   - reactor: the reactor on which it waits.
    ///   - body: is called with the process that has the focus, first and after each change; with nil while no window of an
    ///     app of this computer has it.
    /// - Throws: ``DisplayError``, with `disconnected` when the display is gone, with `unsupported` if it shows its windows on
    ///   a desktop of Wayland; `Errno` when the task is cancelled.
    package func follow(on reactor: Reactor, _ body: (UInt32?) -> Void) async throws {
        do {
            try await withConnection(on: reactor) { connection in
                guard try await connection.extensionOpcode(Self.wayland) == nil else {
                    throw DisplayError(.unsupported, "The display belongs to a desktop of Wayland.")
                }
                let resources = try await Self.opcodeOfResources(connection)
                let atoms = try await Atoms(connection)
                try await connection.watchProperties()
                while true {
                    body(try await Self.process(connection, atoms, resources))
                    try await connection.waitForChange(of: atoms.activeWindow)
                }
            }
        } catch let error as Errno where error != .canceled {
            throw DisplayError(.disconnected, "The connection to the display has failed: \(error)")
        }
    }

    /// Connects with the first cookie that the server accepts; without one, it may admit this user all the same.
    private func withConnection(on reactor: Reactor, _ body: (X11Connection) async throws -> Void) async throws {
        let known = authority.cookies(for: display)
        let cookies: [[UInt8]?] = known.isEmpty ? [nil] : known
        for (number, cookie) in cookies.enumerated() {
            let stream = try display.connect().stream(on: reactor)
            defer { stream.close() }
            let connection: X11Connection
            do {
                connection = try await X11Connection(stream, cookie: cookie)
            } catch let error as DisplayError where error.code == .refused && number + 1 < cookies.count {
                continue
            }
            return try await body(connection)
        }
    }

    private static func opcodeOfResources(_ connection: X11Connection) async throws -> UInt8 {
        guard let opcode = try await connection.extensionOpcode(resources) else {
            throw DisplayError(.unsupported, "The display lacks \(resources).")
        }
        var version = X11Request(opcode, 0)
        version.append([1, 2] as [UInt8])
        let known = try await connection.reply(to: version)
        guard (known.uint16(at: 8), known.uint16(at: 10)) >= (1, 2) else {
            throw DisplayError(.unsupported, "The display lacks \(resources) 1.2.")
        }
        return opcode
    }

    /// The process that has the focus; nil when none has it, or the window has just gone.
    private static func process(
        _ connection: X11Connection,
        _ atoms: Atoms,
        _ resources: UInt8
    ) async throws -> UInt32? {
        let active = try await connection.property(atoms.activeWindow, of: connection.root, atMost: 1)
        guard let window = active.first, window != 0 else { return nil }
        var owner = X11Request(resources, 4)
        // One question: the process (`LocalClientPIDMask`) of the client that has the window.
        for value in [1, window, 2] as [UInt32] { owner.append(value) }
        do {
            let types = try await connection.property(atoms.windowType, of: window, atMost: 32)
            guard atoms.furniture.isDisjoint(with: types) else { return nil }
            let answer = try await connection.reply(to: owner)
            // The head, the number of answers; of the first the client, the mask, its length in bytes, and the process.
            guard answer.uint32(at: 8) > 0, answer.uint32(at: 40) == 4 else { return nil }
            let process = answer.uint32(at: 44)
            return process == 0 ? nil : process
        } catch let error as DisplayError where error.code == .refused {
            return nil
        }
    }
}
