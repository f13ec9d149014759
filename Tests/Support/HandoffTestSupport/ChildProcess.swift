import Foundation
import Synchronization

/// What a program left behind.
package struct ProgramResult: Sendable {
    /// The exit status; 128 and the number of the signal if one ended the program, as a shell says it.
    package let status: Int32
    package let stdout: String
    package let stderr: String
}

/// A test needs a program that is not installed.
package struct MissingProgram: Error, CustomStringConvertible {
    package let description: String
}

/// Runs the program at the absolute path `executable` to its end.
///
/// The environment is the test's own, with `environment` added. When the task is cancelled, the program is killed.
///
/// - Throws: `MissingProgram`, which names the package to install, if there is no such program.
package func run(
    _ executable: String,
    _ arguments: [String] = [],
    environment: [String: String] = [:]
) async throws -> ProgramResult {
    let child = try ChildProcess(executable, arguments, environment: environment)
    return await withTaskCancellationHandler {
        async let stdout = child.stdout.text()
        async let stderr = child.stderr.text()
        return ProgramResult(status: await child.exitStatus(), stdout: await stdout, stderr: await stderr)
    } onCancel: {
        child.kill()
    }
}

/// A program started by a test.
package final class ChildProcess: Sendable {
    private static let packages = [
        "busctl": "systemd", "dbus-daemon": "dbus-daemon", "gdbus": "libglib2.0-bin", "python3": "python3-dbus",
    ]

    package let processID: Int32
    /// What the program writes to its standard output.
    package let stdout: PipeReader
    /// What the program writes to its standard error.
    package let stderr: PipeReader

    fileprivate enum Exit {
        case running([CheckedContinuation<Int32, Never>])
        case exited(Int32)
    }

    private let exit: ExitState

    /// The state shared with the handler that Foundation calls when the program has ended.
    fileprivate final class ExitState: Sendable {
        let state = Mutex(Exit.running([]))
    }

    /// Starts the program at the absolute path `executable`.
    ///
    /// - Throws: `MissingProgram`, which names the package to install, if there is no such program.
    package init(_ executable: String, _ arguments: [String] = [], environment: [String: String] = [:]) throws {
        guard FileManager.default.isExecutableFile(atPath: executable) else {
            let name = URL(filePath: executable).lastPathComponent
            let package = Self.packages[name] ?? name
            throw MissingProgram(description: "\(executable) is missing: apt install \(package)")
        }
        let process = Process()
        let output = Pipe()
        let errors = Pipe()
        process.executableURL = URL(filePath: executable)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = errors
        let exit = ExitState()
        process.terminationHandler = { process in
            let signal: Int32 = process.terminationReason == .uncaughtSignal ? 128 : 0
            exit.end(signal + process.terminationStatus)
        }
        try process.run()
        self.exit = exit
        processID = process.processIdentifier
        stdout = PipeReader(output.fileHandleForReading)
        stderr = PipeReader(errors.fileHandleForReading)
    }

    /// Waits until the program has ended and has been reaped.
    package func exitStatus() async -> Int32 {
        await withCheckedContinuation { continuation in
            let status = exit.state.withLock { state -> Int32? in
                switch state {
                case .exited(let status): return status
                case .running(let waiters):
                    state = .running(waiters + [continuation])
                    return nil
                }
            }
            if let status { continuation.resume(returning: status) }
        }
    }

    /// Ends the program at once, unless it has ended.
    package func kill() {
        exit.state.withLock { state in
            guard case .running = state else { return }
            Foundation.kill(processID, SIGKILL)
        }
    }
}

extension ChildProcess.ExitState {
    fileprivate func end(_ status: Int32) {
        let waiters = state.withLock { state -> [CheckedContinuation<Int32, Never>] in
            guard case .running(let waiters) = state else { return [] }
            state = .exited(status)
            return waiters
        }
        for waiter in waiters { waiter.resume(returning: status) }
    }
}

/// Starts a program, runs `body` beside it, and has killed and reaped it when it returns.
///
/// - Throws: what `body` throws, and `MissingProgram`.
package func withProgram<T>(
    _ executable: String,
    _ arguments: [String] = [],
    environment: [String: String] = [:],
    _ body: (ChildProcess) async throws -> T
) async throws -> T {
    let child = try ChildProcess(executable, arguments, environment: environment)
    let result: Result<T, any Error>
    do { result = .success(try await body(child)) } catch { result = .failure(error) }
    child.kill()
    _ = await child.exitStatus()
    return try result.get()
}
