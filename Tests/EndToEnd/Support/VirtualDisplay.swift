import HandoffTestSupport

/// Runs `body` with a display of X11 that nobody sees.
///
/// - Parameter body: is called with the variable of the environment that names the display.
/// - Throws: the error of `body`, or `MissingProgram`.
func withVirtualDisplay<Success>(_ body: ([String: String]) async throws -> Success) async throws -> Success {
    try await withVirtualDisplay([]) { environment, _ in try await body(environment) }
}

/// Runs `body` with a display of X11 that nobody sees, and with its server.
///
/// - Parameter arguments: additional arguments of Xvfb.
func withVirtualDisplay<Success>(
    _ arguments: [String],
    _ body: (_ environment: [String: String], _ server: ChildProcess) async throws -> Success
) async throws -> Success {
    let screen = ["-displayfd", "1", "-screen", "0", "640x480x24", "-nolisten", "tcp", "-noreset"]
    return try await withProgram("/usr/bin/Xvfb", screen + arguments) { display in
        guard let number = await display.stdout.firstLine() else {
            throw MissingProgram(description: "Xvfb did not start: \(await display.stderr.text())")
        }
        return try await body(["DISPLAY": ":\(number)"], display)
    }
}

/// Runs `body` while a window manager runs on the display that the environment names.
///
/// - Throws: the error of `body`, or `MissingProgram`.
func withWindowManager<Success>(
    _ environment: [String: String],
    _ body: () async throws -> Success
) async throws -> Success {
    // The command runs once windows are managed.
    let arguments = ["--sm-disable", "--startup", "echo ready"]
    return try await withProgram("/usr/bin/openbox", arguments, environment: environment) { manager in
        guard await manager.stdout.firstLine() != nil else {
            throw MissingProgram(description: "openbox did not start: \(await manager.stderr.text())")
        }
        return try await body()
    }
}
