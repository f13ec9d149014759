import AsyncSupport
import Bluetooth
import BlueZ
import DBus
import Epoll

/// Reads the state of bluetoothd, and tries what Handoff needs of it.
struct BluetoothExamination: Sendable {
    /// What was read and tried.
    struct Result: Sendable {
        var state: DoctorFacts.Bluetooth
        var advertisement = DoctorFacts.Trial.notTried
        var discovery = DoctorFacts.Trial.notTried
        var channels = DoctorFacts.Trial.notTried
    }

    /// How long bluetoothd may take to answer.
    private static let patience = Duration.seconds(5)

    /// The adapter to try; nil for the first.
    let adapterName: String?

    func read(on connection: Connection) async -> Result {
        do {
            return try await withBlueZ(on: connection) { bluez in
                let snapshot = await Self.answer(of: bluez)
                switch snapshot?.service {
                case nil, .unknown: return Result(state: .silent("it has not answered for 5 s"))
                case .absent: return Result(state: .absent)
                case .unreachable(let error): return Result(state: .silent(error.message))
                case .running: return await attempt(bluez, snapshot?.adapters ?? [])
                }
            }
        } catch {
            return Result(state: .noBus("\(error)"))
        }
    }

    /// Returns the first state of bluetoothd that is known; nil when it does not answer in time.
    private static func answer(of bluez: BlueZ) async -> BlueZSnapshot? {
        try? await withTimeout(patience) {
            for await snapshot in bluez.snapshots() where snapshot.service != .unknown { return snapshot }
            throw CancellationError()
        }
    }

    private func attempt(_ bluez: BlueZ, _ adapters: [Adapter]) async -> Result {
        var result = Result(state: .running(adapters))
        guard let adapter = adapters.first(where: { $0.name == adapterName }) ?? adapters.first, adapter.power == .on
        else { return result }
        result.advertisement = await Self.trial {
            try await bluez.withAdvertisement(Self.advertisement, on: adapter) {}
        }
        result.discovery = await Self.trial {
            try await bluez.withDiscovery(on: adapter, transform: { _ in [Void]() }) { _ in }
        }
        result.channels = await Self.trial {
            try await Reactor.withReactor { reactor in try L2CAPListener(reactor: reactor).close() }
        }
        return result
    }

    private static func trial(_ attempt: () async throws -> Void) async -> DoctorFacts.Trial {
        do {
            try await attempt()
            return .accepted
        } catch {
            return .refused((error as? BlueZError)?.message ?? (error as? L2CAPError)?.message ?? "\(error)")
        }
    }

    /// An advertisement that no device understands: a service of no meaning, and one byte, since bluetoothd refuses none.
    private static let advertisement = LEAdvertisement(
        service: BluetoothUUID(number: 0xFFFF),
        data: [0],
        interval: 1000...1000
    )
}
