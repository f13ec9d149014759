import AsyncSupport
import HandoffCore
import HandoffRadio
import Testing
import TestLimits

@testable import HandoffDaemon

@Suite("What is told when dials have failed", .endsWithin(minutes: 10))
struct ParallelDialTests {
    private static let answered = HandoffError(.notTrusted, "It does not trust this device.")
    private static let silent = RadioError(.timedOut, "Nobody has answered.")

    /// What is recorded after a dial of an endpoint that nobody answers, or at which the device answers.
    private func failure(before: (any Error)?, isAnswered: Bool = false) async -> (any Error)? {
        var record = DialRecord()
        record.failure = before
        var dial = ParallelDial(
            first: PeerEndpoint(address: RadioAddress("old"), port: .sample),
            record: record,
            wait: nil,
            open: { _, body in
                guard isAnswered else { throw Self.silent }
                try await body(RefusingRadio.Channel())
            },
            heard: { _ in try await untilCancelled() },
            preceded: nil,
            body: { _ in throw Self.answered }
        )
        await #expect(throws: (any Error).self) { _ = try await dial.run() }
        return dial.record.failure
    }

    @Test("What the device has answered is told, and not that an older endpoint of it is silent")
    func answer() async throws {
        #expect(await failure(before: Self.answered) as? HandoffError == Self.answered)
        #expect((await failure(before: nil) as? RadioError)?.code == .timedOut)
        #expect(await failure(before: Self.silent, isAnswered: true) as? HandoffError == Self.answered)
    }
}
