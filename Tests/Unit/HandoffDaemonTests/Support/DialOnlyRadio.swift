import AsyncSupport
import Bluetooth
import HandoffRadio

/// A radio that can only dial: nothing that it advertises is heard, its scans find nothing, and nobody calls it.
protocol DialOnlyRadio: Radio {}

extension DialOnlyRadio {
    func run() async throws { try await untilCancelled() }

    func states() -> AsyncStream<RadioState> { AsyncStream { $0.finish() } }

    func withAdvertisement<Success: Sendable>(
        _ advertisement: Advertisement,
        _ body: () async throws -> Success
    ) async throws -> Success {
        try await body()
    }

    func withScan<Success: Sendable>(
        for services: Set<BluetoothUUID>,
        _ body: (AsyncStream<AdvertisementReport>) async throws -> Success
    ) async throws -> Success {
        try await body(AsyncStream { $0.finish() })
    }

    func withListener<Success: Sendable>(
        limit: Int,
        serving serve: @escaping @Sendable (Channel) async -> Void,
        _ body: (LEPSM) async throws -> Success
    ) async throws -> Success {
        try await untilCancelled()
    }
}
