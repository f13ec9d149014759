import Foundation

/// A program at a pseudo-terminal, whose screen a test reads and at which it types.
package struct Terminal: Sendable {
    package let process: ChildProcess

    /// The content of the screen, including what was typed.
    package let screen: Transcript

    private let keyboard: Int32

    /// Starts a program at a new terminal and runs `body`; has ended the program when it returns.
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
            throw MissingProgram(description: "cannot create a pseudo-terminal")
        }
        for end in [near, far] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (near, far)
    }
}
