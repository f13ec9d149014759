import Bluetooth
import HandoffCrypto
import HandoffRadio
import HandoffRadioConformance
import HandoffRadioSimulated
import Synchronization
import TestRuns

/// Many unauthenticated peers that open channels to one device and reconnect as soon as these are closed.
final class ConnectionFlood: Sendable {
    /// What a peer does with its channel.
    enum Behaviour: CaseIterable {
        /// Says nothing until the device closes the channel.
        case silent
        /// Sends a first message that opens for nobody.
        case talking
        /// Closes the channel at once.
        case leaving
    }

    /// The number of radios that the peers share, each of which opens one channel at a time; each channel comes from
    /// another random address.
    private static let radios = 8

    private let opened = Mutex(0)
    private let openings: AsyncStream<Void>
    private let opening: AsyncStream<Void>.Continuation

    private init() {
        (openings, opening) = AsyncStream.makeStream()
    }

    /// Runs `body` while `count` peers flood this device, which behave in these ways in turn.
    static func run(
        _ count: Int,
        _ behaviours: [Behaviour] = [.silent],
        at device: Device,
        _ body: @escaping @Sendable (ConnectionFlood) async throws -> Void
    ) async throws {
        let flood = ConnectionFlood()
        let radios = (0..<radios).map { SimulatedRadio(directory: device.world.airDirectory, name: "peer\($0)") }
        try await withReadyRadios(radios) {
            let endpoint = try await UntrustedClient.endpoint(of: device, with: radios[0])
            let peers: [@Sendable () async throws -> Void] = (0..<count).map { number in
                {
                    let behaviour = behaviours[number % behaviours.count]
                    while !Task.isCancelled {
                        await flood.hold(endpoint, behaviour, with: radios[number % radios.count])
                    }
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

    private func hold(
        _ endpoint: (RadioAddress, LEPSM),
        _ behaviour: Behaviour,
        with radio: SimulatedRadio
    ) async {
        try? await radio.withChannel(to: endpoint.0, port: endpoint.1, timeout: .seconds(10)) { channel in
            opened.withLock { $0 += 1 }
            opening.yield(())
            switch behaviour {
            case .leaving: return
            case .silent: break
            case .talking:
                _ = try await channel.receive()
                try await channel.send([0, 112] + [UInt8](repeating: 7, count: 112))
            }
            while try await channel.receive() != nil {}
        }
    }
}
