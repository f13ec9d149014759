import Bluetooth
import HandoffCrypto
import HandoffRadio
import HandoffRadioConformance
import HandoffRadioSimulated
import Synchronization
import TestRuns

/// Many unauthenticated peers that open channels to one device, hold them until they are closed, and reconnect.
final class ConnectionFlood: Sendable {
    /// The number of radios that the peers share, each of which opens one channel at a time.
    private static let radios = 4

    private let opened = Mutex(0)
    private let openings: AsyncStream<Void>
    private let opening: AsyncStream<Void>.Continuation

    private init() {
        (openings, opening) = AsyncStream.makeStream()
    }

    /// Runs `body` while `count` peers flood this device.
    static func run(
        _ count: Int,
        at device: Device,
        _ body: @escaping @Sendable (ConnectionFlood) async throws -> Void
    ) async throws {
        let flood = ConnectionFlood()
        let radios = (0..<radios).map { SimulatedRadio(directory: device.world.airDirectory, name: "peer\($0)") }
        try await withReadyRadios(radios) {
            let endpoint = try await UntrustedClient.endpoint(of: device, with: radios[0])
            let peers: [@Sendable () async throws -> Void] = (0..<count).map { number in
                {
                    while !Task.isCancelled { await flood.hold(endpoint, with: radios[number % radios.count]) }
                }
            }
            try await withServices(peers) { try await body(flood) }
        }
    }

    /// Waits until `count` channels were opened.
    func channels(_ count: Int) async throws {
        for await _ in openings where opened.withLock({ $0 }) >= count { return }
        throw CancellationError()
    }

    private func hold(_ endpoint: (RadioAddress, LEPSM), with radio: SimulatedRadio) async {
        try? await radio.withChannel(to: endpoint.0, port: endpoint.1, timeout: .seconds(10)) { channel in
            opened.withLock { $0 += 1 }
            opening.yield(())
            while try await channel.receive() != nil {}
        }
    }
}
