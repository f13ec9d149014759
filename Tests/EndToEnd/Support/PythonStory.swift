import Foundation
import HandoffTestSupport
import TestRuns
import Testing

/// A program of Tests/Stories that tells stories with real daemons.
struct PythonStory {
    /// The name of its file.
    let file: String
    /// How many inotify instances one of its stories needs.
    let instances: Int

    /// Runs one story; its last lines, and those of the daemons' logs, are in the failure.
    ///
    /// - Returns: what it has printed.
    @discardableResult
    func tell(_ story: String) async throws -> String {
        let python = try #require(
            ProcessInfo.processInfo.environment["HANDOFF_TEST_PYTHON"],
            "Set HANDOFF_TEST_PYTHON to a Python 3 with Tests/Unit/HandoffCryptoTests/Python/requirements.txt."
        )
        let script = Repository.file("Tests/Stories/\(file)").path()
        let programs = URL(filePath: Programs.handoffd).deletingLastPathComponent().path()
        let result = try await takingInstances(instances) {
            try await run(python, [script, story], environment: ["HANDOFF_PROGRAMS": programs])
        }
        #expect(result.status == 0, "\(result.stdout)\n\(result.stderr)")
        return result.stdout
    }
}
