import HandoffBus

/// Why nothing of other devices can be nearby.
extension HandoffClient {
    /// Returns the failure of a command that needs nearby activities while there can be none; nil when there can be some.
    ///
    /// There can be none while Handoff is paused, or the radio cannot be used.
    func nearbyObstacle() async throws -> CommandFailure? {
        if let pause = try await pauseFailure() { return pause }
        return try await status().radioFailure
    }

    /// Runs `body`, which looks for an activity.
    ///
    /// - Throws: ``CommandFailure`` that tells why nothing can be nearby, if nothing is found because of that; else
    ///   what `body` throws.
    func finding<Success>(_ body: () async throws -> Success) async throws -> Success {
        do {
            return try await body()
        } catch let failure as CommandFailure where failure.status == .notFound {
            throw try await nearbyObstacle() ?? failure
        }
    }
}

extension DaemonStatus {
    /// The failure of a command that needs the radio while it cannot be used; nil when it can.
    var radioFailure: CommandFailure? {
        guard radioState != "ready" else { return nil }
        return CommandFailure(status: .failed, message: radioMessage, name: HandoffErrorName.prefix + radioState)
    }
}
