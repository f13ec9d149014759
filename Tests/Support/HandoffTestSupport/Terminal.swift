import Foundation

/// A program at a pseudo-terminal, and a person who reads its screen and types.
package struct Terminal: Sendable {
    package let process: ChildProcess

    /// What stands on the screen, what was typed included.
    package let screen: Transcript

    private let keyboard: Int32

    /// Starts a program at a terminal of its own, runs `body` beside it, and has ended both when it returns.
    package static func run<T: Sendable>(
        _ executable: String,
        _ arguments: [String] = [],
        environment: [String: String] = [:],
        _ body: @escaping @Sendable (Terminal) async throws -> T
    ) async throws -> T {
        let (near, far) = try open()
        let process: ChildProcess
        do {
            defer { close(far) }
            process = try ChildProcess(executable, arguments, environment: environment, terminal: far)
        }
        let reader = PipeReader(dup(near))
        defer { close(near) }
        let terminal = Terminal(process: process, screen: Transcript(), keyboard: near)
        return try await withThrowingTaskGroup(of: T?.self) { group in
            group.addTask {
                await terminal.screen.collect(reader)
                return nil
            }
            group.addTask {
                defer { process.kill() }
                return try await body(terminal)
            }
            var result: T?
            while let ended = try await group.next() { result = ended ?? result }
            _ = await process.exitStatus()
            guard let result else { throw CancellationError() }
            return result
        }
    }

    /// Types a line.
    package func type(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = bytes.withUnsafeBytes { write(keyboard, $0.baseAddress, $0.count) }
    }

    private static func open() throws -> (near: Int32, far: Int32) {
        var (near, far): (Int32, Int32) = (-1, -1)
        guard openpty(&near, &far, nil, nil, nil) == 0 else {
            throw MissingProgram(description: "no pseudo-terminal is left")
        }
        for end in [near, far] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (near, far)
    }
}
