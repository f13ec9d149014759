import AsyncSupport
import Bluetooth
import HandoffRadio

/// A radio that refuses to advertise, to scan and to listen while ``refuses`` is true.
struct RefusingRadio: Radio {
    struct Channel: RadioChannel {
        let peer = RadioAddress("C0:00:00:00:00:01/random")
        let maximumMessageLength = 23

        func send(_ message: [UInt8]) async throws(RadioError) { throw RadioError(.channelClosed, "closed") }

        func receive() async throws(RadioError) -> [UInt8]? { nil }
    }

    let refuses = CurrentValue(true)
    /// The number of scans that were not refused.
    let scans = CurrentValue(0)

    func run() async throws { try await untilCancelled() }

    func states() -> AsyncStream<RadioState> { AsyncStream { $0.finish() } }

    func withAdvertisement<Success: Sendable>(
        _ advertisement: Advertisement,
        _ body: () async throws -> Success
    ) async throws -> Success {
        try check(.advertisingRefused)
        return try await body()
    }

    func withScan<Success: Sendable>(
        for services: Set<BluetoothUUID>,
        _ body: (AsyncStream<AdvertisementReport>) async throws -> Success
    ) async throws -> Success {
        try check(.scanningRefused)
        scans.modify { $0 += 1 }
        let (reports, continuation) = AsyncStream<AdvertisementReport>.makeStream()
        defer { continuation.finish() }
        return try await body(reports)
    }

    func withListener<Success: Sendable>(
        limit: Int,
        serving serve: @escaping @Sendable (Channel) async -> Void,
        _ body: (LEPSM) async throws -> Success
    ) async throws -> Success {
        try check(.listeningRefused)
        return try await body(LEPSM.sample)
    }

    func withChannel<Success: Sendable>(
        to address: RadioAddress,
        port: LEPSM,
        timeout: Duration,
        _ body: (Channel) async throws -> Success
    ) async throws -> Success {
        throw RadioError(.refused, "refused")
    }

    private func check(_ code: RadioError.Code) throws(RadioError) {
        if refuses.value { throw RadioError(code, "the kernel refuses it") }
    }
}
