package import Epoll
import LocalStream

/// Which process has the window with the focus, as the window manager and the server of a display tell.
package struct X11Focus: Sendable {
    private enum Opcode {
        static let changeWindowAttributes: UInt8 = 2
        static let internAtom: UInt8 = 16
        static let getProperty: UInt8 = 20
        static let queryExtension: UInt8 = 98
    }

    /// The window with the focus, in a property of the root window (Extended Window Manager Hints 1.5).
    private static let property = "_NET_ACTIVE_WINDOW"
    /// The extension that tells the process of a window: unlike `_NET_WM_PID`, as the kernel does (X Resource 1.2).
    private static let resources = "X-Resource"

    private let display: X11Display
    private let authority: X11Authority

    package init(of display: X11Display, _ authority: X11Authority) {
        (self.display, self.authority) = (display, authority)
    }

    /// Follows the focus until cancelled.
    ///
    /// - Parameters:
    ///   - reactor: the reactor on which it waits.
    ///   - body: is called with the process that has the focus, first and after each change; not while no window of this
    ///     computer has it.
    /// - Throws: ``X11Error``; `Errno` when the connection fails or the task is cancelled.
    package func follow(on reactor: Reactor, _ body: (UInt32) -> Void) async throws {
        let stream = try LocalStream(taking: try display.connect(), on: reactor)
        defer { stream.close() }
        let connection = try await X11Connection(stream, cookie: authority.cookie(for: display))
        let resources = try await Self.opcodeOfResources(connection)
        let property = try await Self.atom(connection)
        try await connection.send(Self.watching(connection.root))
        while true {
            if let process = try await Self.process(connection, property, resources) { body(process) }
            try await connection.waitForChange(of: property)
        }
    }

    private static func opcodeOfResources(_ connection: X11Connection) async throws -> UInt8 {
        var query = X11Request(Opcode.queryExtension)
        query.append(UInt16(resources.utf8.count))
        query.append(UInt16(0))
        query.append(Array(resources.utf8))
        let answer = try await connection.reply(to: query)
        guard answer.byte(at: 8) == 1 else { throw X11Error(.unsupported, "The display lacks \(resources).") }
        var version = X11Request(answer.byte(at: 9), 0)
        version.append([1, 2] as [UInt8])
        let known = try await connection.reply(to: version)
        guard (known.uint16(at: 8), known.uint16(at: 10)) >= (1, 2) else {
            throw X11Error(.unsupported, "The display lacks \(resources) 1.2.")
        }
        return answer.byte(at: 9)
    }

    private static func atom(_ connection: X11Connection) async throws -> UInt32 {
        var request = X11Request(Opcode.internAtom)
        request.append(UInt16(property.utf8.count))
        request.append(UInt16(0))
        request.append(Array(property.utf8))
        return try await connection.reply(to: request).uint32(at: 8)
    }

    /// Asks for the changes of a window's properties.
    private static func watching(_ window: UInt32) -> X11Request {
        let (eventMask, propertyChanges): (UInt32, UInt32) = (1 << 11, 1 << 22)
        var request = X11Request(Opcode.changeWindowAttributes)
        request.append(window)
        request.append(eventMask)
        request.append(propertyChanges)
        return request
    }

    /// The process that has the focus; nil when none has it, or the window has just gone.
    private static func process(
        _ connection: X11Connection,
        _ property: UInt32,
        _ resources: UInt8
    ) async throws -> UInt32? {
        var question = X11Request(Opcode.getProperty)
        // Of any type, from its beginning, and no more than one window.
        for value in [connection.root, property, 0, 0, 1] as [UInt32] { question.append(value) }
        let answer = try await connection.reply(to: question)
        let window = answer.byte(at: 1) == 32 && answer.uint32(at: 16) == 1 ? answer.uint32(at: 32) : 0
        guard window != 0 else { return nil }
        var owner = X11Request(resources, 4)
        // One question: the process (`LocalClientPIDMask`) of the client that has the window.
        for value in [1, window, 2] as [UInt32] { owner.append(value) }
        do {
            let answer = try await connection.reply(to: owner)
            // The head, the number of answers; of the first the client, the mask, its length in bytes, and the process.
            guard answer.uint32(at: 8) > 0, answer.uint32(at: 40) == 4 else { return nil }
            let process = answer.uint32(at: 44)
            return process == 0 ? nil : process
        } catch let error as X11Error where error.code == .refused {
            return nil
        }
    }
}
