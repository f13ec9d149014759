import AsyncSupport
import HandoffCore
import Logging

/// Finds out whether the state directory can be written, at the start and from time to time, and tells the engine.
///
/// A change that a person makes is refused while it cannot; keys that others tell are not kept either. That is told before
/// somebody makes one.
struct StateDirectoryMonitor: Service {
    let engine: Engine
    let directory: StateDirectory
    let logger: Logger
    /// The time between two trials.
    var interval = Duration.seconds(600)

    func run() async throws {
        try await race {
            try await watch()
        } _: {
            while true {
                // The outcome is noted with the directory.
                try? await directory.tryWriting()
                try await sleep(for: interval)
            }
        }
    }

    private func watch() async throws {
        var obstacle = directory.obstacle.initial
        while true {
            obstacle = try await directory.obstacle.changed(since: obstacle)
            engine.trust.setStateObstacle(obstacle.value)
            if let reason = obstacle.value {
                logger.warning("nothing can be kept: \(reason)", metadata: ["event": "state.unwritable"])
            } else {
                logger.notice("the state directory can be written again", metadata: ["event": "state.writable"])
            }
        }
    }
}
