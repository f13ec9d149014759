import Foundation
import HandoffTestSupport

/// What stands for a compositor of Wayland on the display of a device (Tests/Scripts/imitation-compositor.py).
enum CompositorImitation {
    /// Runs `body` while it runs, with its output.
    static func run(
        _ kind: String,
        on device: Device,
        _ body: @escaping @Sendable (ChildProcess, Transcript) async throws -> Void
    ) async throws {
        let script = Repository.file("Tests/Scripts/imitation-compositor.py").path()
        let arguments = [script, device.world.directory.path(), kind]
        try await withTranscript(of: "/usr/bin/python3", arguments, environment: [:], reading: { $0.stdout }) {
            process,
            output in
            try await output.line(containing: "ready")
            try await body(process, output)
        }
    }
}
