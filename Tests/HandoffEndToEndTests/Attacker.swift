import Foundation
import HandoffCrypto
import HandoffRadio
import HandoffRadioSimulated
import Synchronization

/// Somebody with radios and no keys, who sends what it likes and counts who answers.
final class Attacker: Sendable {
    /// What an attacker waits for did not come.
    struct NothingHeard: Error {}

    static let service = ServiceUUID("6496566b-3dbc-40e5-a269-566274cc801d")

    private let mouth: SimulatedRadio
    private let ear: SimulatedRadio
    private let calls = Mutex(0)

    private init(in directory: String) {
        mouth = SimulatedRadio(directory: directory, name: "attacker")
        ear = SimulatedRadio(directory: directory, name: "witness")
    }

    /// How many channels were opened to it, at whatever port.
    var callCount: Int { calls.withLock { $0 } }

    /// Runs `body` with an attacker who answers on every port.
    static func run(
        in world: World,
        _ body: @escaping @Sendable (Attacker) async throws -> Void
    ) async throws {
        let attacker = Attacker(in: world.airDirectory)
        try await withRadios([attacker.mouth, attacker.ear]) {
            try await attacker.listen(on: ChannelPort.range.count) { try await body(attacker) }
        }
    }

    /// Advertises `data` until `body` is over, which begins when everybody within reach was sent it.
    func broadcast(
        _ data: [UInt8],
        besides address: RadioAddress? = nil,
        _ body: @escaping @Sendable () async throws -> Void = {}
    ) async throws {
        guard let service = Self.service else { throw NothingHeard() }
        try await mouth.withAdvertisement(Advertisement(service: service, data: data, pace: .fast)) {
            // One event reaches all ears in turn: when the second is heard, everybody has had the first.
            _ = try await hear(times: 2) { $0.data == data && $0.address != address }
            try await body()
        }
    }

    /// The next advertisement that one of these keys opens.
    func record(_ keys: [AdvertisingKey]) async throws -> Sighting {
        let slot = UInt64(Date.now.timeIntervalSince1970) / 900
        return try await hear(times: 1) { sighting in
            var opener = AdvertisementOpener(keys: keys.map { (0, $0) })
            return opener.open(sighting.data, slot: slot) != nil
        }
    }

    private func hear(times: Int, _ isWanted: @escaping @Sendable (Sighting) -> Bool) async throws -> Sighting {
        guard let service = Self.service else { throw NothingHeard() }
        return try await ear.withScan(for: [service]) { sightings in
            var count = 0
            for await sighting in sightings where isWanted(sighting) {
                count += 1
                if count == times { return sighting }
            }
            throw NothingHeard()
        }
    }

    /// Listens on that many ports, which the radio chooses, while `body` runs.
    private func listen(on ports: Int, _ body: @escaping @Sendable () async throws -> Void) async throws {
        guard ports > 0 else { return try await body() }
        try await mouth.withListener(limit: 100) { [self] channel in
            calls.withLock { $0 += 1 }
            while (try? await channel.receive()) != nil {}
        } _: { _ in
            try await listen(on: ports - 1, body)
        }
    }
}
