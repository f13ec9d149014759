/// Runs a program, and `body` with the lines that it prints; has killed and reaped the program when it returns.
///
/// - Parameter output: the output whose lines are collected.
/// - Throws: the error of `body`, or `MissingProgram`.
package func withTranscript(
    of executable: String,
    _ arguments: [String] = [],
    environment: [String: String] = [:],
    reading output: @escaping @Sendable (ChildProcess) -> PipeReader = { $0.stdout },
    _ body: @escaping @Sendable (ChildProcess, Transcript) async throws -> Void
) async throws {
    try await withProgram(executable, arguments, environment: environment) { process in
        let transcript = Transcript()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await transcript.collect(output(process)) }
            group.addTask {
                defer { process.kill() }
                try await body(process, transcript)
            }
            try await group.waitForAll()
        }
    }
}
