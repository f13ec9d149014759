/// The exit status and the output of a program that has ended.
package struct ProgramResult: Sendable {
    /// The exit status, or, as in a shell, 128 plus the number of the signal that ended the program.
    package let status: Int32
    package let stdout: String
    package let stderr: String
}

/// Runs the program at the absolute path `executable` to its end.
///
/// The environment is the test's own, with `environment` added. If the task is cancelled, the program is killed.
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

/// Starts a program, runs `body`, and has killed and reaped the program when it returns.
///
/// - Throws: the error of `body`, or `MissingProgram`.
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
