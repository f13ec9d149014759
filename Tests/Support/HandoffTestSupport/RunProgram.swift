/// What a program left behind.
package struct ProgramResult: Sendable {
    /// The exit status; 128 and the number of the signal if one ended the program, as a shell says it.
    package let status: Int32
    package let stdout: String
    package let stderr: String
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
