import AsyncSupport
package import HandoffRadio
private import Synchronization

extension SimulatedRadio {
    package func withAdvertisement<Success: Sendable>(
        _ advertisement: Advertisement,
        _ body: () async throws -> Success
    ) async throws -> Success {
        guard (1...Advertisement.maximumDataLength).contains(advertisement.data.count) else {
            let message = "An advertisement has 1 to \(Advertisement.maximumDataLength) bytes of data."
            throw RadioError(.invalidAdvertisement, message)
        }
        return try await whileAvailable { station in
            let isFree = state.withLock { state in
                defer { state.isAdvertising = true }
                return !state.isAdvertising
            }
            guard isFree else {
                throw RadioError(.busy, "This radio is already advertising; end that advertisement first.")
            }
            defer { state.withLock { $0.isAdvertising = false } }
            let advertiser = try Advertiser(advertisement, of: station)
            defer { advertiser.close() }
            advertiser.transmit()
            let answer: @Sendable () async -> Void = { await self.answerDials(at: advertiser, of: station) }
            return try await withBackgroundTasks([advertiser.run, answer], body: body)
        }
    }
}
