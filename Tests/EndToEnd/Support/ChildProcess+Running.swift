import AsyncSupport
import HandoffTestSupport

/// A program has ended while a story needed it.
private struct EndedProgram: Error, CustomStringConvertible {
    let status: Int32
    let messages: String

    var description: String { "A program that the story needs has ended with status \(status): \(messages)" }
}

extension ChildProcess {
    /// Runs `body`, which needs the program; of what it prints to standard error nothing is left for others.
    ///
    /// - Throws: the error of `body`, or one with the program's status and messages as soon as it has ended.
    func whileRunning(_ body: @escaping @Sendable () async throws -> Void) async throws {
        try await race(body) {
            let messages = await self.stderr.text()
            try Task.checkCancellation()
            throw EndedProgram(status: await self.exitStatus(), messages: messages)
        }
    }
}
