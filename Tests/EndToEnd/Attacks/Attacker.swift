import Bluetooth
import Foundation
import HandoffCrypto
import HandoffRadio
import HandoffRadioConformance
import HandoffRadioSimulated
import Synchronization

/// An attacker with radios and without keys, which advertises arbitrary data and counts the channels opened to it.
final class Attacker: Sendable {
    /// The advertisement that the attacker waited for was not received.
    struct NothingHeard: Error {}

    static let service = BluetoothUUID(number: 0xa0f6373c_c0be_4098_84f0_85fe6ea66c55)

    private let advertisingRadio: SimulatedRadio
    private let scanningRadio: SimulatedRadio
    private let calls = Mutex(0)

    private init(in directory: String) {
        advertisingRadio = SimulatedRadio(directory: directory, name: "attacker")
        scanningRadio = SimulatedRadio(directory: directory, name: "witness")
    }

    /// The number of channels that were opened to the attacker, on any port.
    var callCount: Int { calls.withLock { $0 } }

    /// Runs `body` with an attacker that listens on every port.
    static func run(
        in world: World,
        _ body: @escaping @Sendable (Attacker) async throws -> Void
    ) async throws {
        let attacker = Attacker(in: world.airDirectory)
        try await withReadyRadios([attacker.advertisingRadio, attacker.scanningRadio]) {
            try await attacker.listen(on: LEPSM.allCases.count - 1) { try await body(attacker) }
        }
    }

    /// Advertises `data` while `body` runs, which begins once every device in range has received it.
    func broadcast(
        _ data: [UInt8],
        besides address: RadioAddress? = nil,
        _ body: @escaping @Sendable () async throws -> Void = {}
    ) async throws {
        try await advertisingRadio.withAdvertisement(Advertisement(service: Self.service, data: data, pace: .fast)) {
            // One event reaches all scanners in turn: when the second report arrives, every device has had the first.
            _ = try await hear(times: 2) { $0.data == data && $0.address != address }
            try await body()
        }
    }

    /// The next advertisement that one of these keys opens.
    func record(_ keys: [AdvertisingKey]) async throws -> AdvertisementReport {
        let slot = AdvertisementSealer.slot(unixSeconds: Int64(Date.now.timeIntervalSince1970))
        return try await hear(times: 1) { report in
            var opener = AdvertisementOpener(keys: keys.map { (0, $0) })
            return opener.open(report.data, slot: slot) != nil
        }
    }

    private func hear(times: Int, _ isWanted: @escaping @Sendable (AdvertisementReport) -> Bool) async throws
        -> AdvertisementReport
    {
        try await scanningRadio.withScan(for: [Self.service]) { reports in
            var count = 0
            for await report in reports where isWanted(report) {
                count += 1
                if count == times { return report }
            }
            throw NothingHeard()
        }
    }

    /// Listens on `ports` ports, which the radio chooses, while `body` runs.
    private func listen(on ports: Int, _ body: @escaping @Sendable () async throws -> Void) async throws {
        guard ports > 0 else { return try await body() }
        try await advertisingRadio.withListener(limit: 100) { [self] channel in
            calls.withLock { $0 += 1 }
            while (try? await channel.receive()) != nil {}
        } _: { _ in
            try await listen(on: ports - 1, body)
        }
    }
}
