import HandoffModel
import HandoffWire

@testable import HandoffDaemon

extension EngineSessions {
    /// The answer to a request of a device of which nothing else is known.
    func answer(to request: FetchRequest) async throws -> PreparedAnswer {
        try await answer(to: request, from: DeviceID(number: 1))
    }
}
