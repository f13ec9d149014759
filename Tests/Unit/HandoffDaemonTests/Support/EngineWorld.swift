import AsyncSupport
import Bluetooth
import DBus
import HandoffBus
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffRadio
import HandoffWire
import Logging
import Synchronization

@testable import HandoffDaemon

/// An engine with its identity in a directory of its own, and the effects that it would show on the bus.
struct EngineWorld {
    let engine: Engine
    let directory: StateDirectory
    let effects: RecordedEffects

    /// Runs `body` with an engine that trusts no device and has no radio yet.
    static func run(_ body: (EngineWorld) async throws -> Void) async throws {
        try await withTemporaryDirectory { path in
            try await StateDirectory.withDirectory(at: path) { directory in
                let engine = try await Engine(
                    identity: Identity.loaded(from: directory),
                    name: DeviceName("desk"),
                    in: directory,
                    logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
                )
                let effects = RecordedEffects()
                engine.observe(by: effects)
                try await body(EngineWorld(engine: engine, directory: directory, effects: effects))
            }
        }
    }

    /// The same with a radio that works, a listener, and a device that is trusted.
    static func runReady(_ body: (EngineWorld, Peer) async throws -> Void) async throws {
        try await run { world in
            let peer = try Peer("laptop")
            world.engine.radio.radioChanged(to: .ready(RadioDescription(name: "test")))
            world.engine.radio.listening(at: LEPSM.sample)
            try await world.engine.trust.add(
                peer.device,
                key: peer.advertisingKey,
                toldKey: .generate(day: peer.advertisingKey.daily.day)
            )
            world.restPairing()
            world.effects.clear()
            try await body(world, peer)
        }
    }

    /// Makes the last pairing one that was a while ago: just after it, a device scans fully.
    func restPairing() {
        engine.change { state, now in state.nearby.scanPolicy = ScanPolicy(at: now.uptime) }
    }

    /// Creates an activity and makes it current.
    func publish(_ name: String = "edit", by client: BusName = ":1.1") throws -> ActivityID {
        let id = try engine.activities.create(.sample(name), isEligible: true, by: client)
        try engine.activities.becomeCurrent(id, by: client)
        return id
    }

    /// The trusted devices, by name.
    var trusted: [DeviceIdentity] { engine.read { $0.trust.devices.all.map(\.identity) } }

    /// The key under which the engine's device advertises.
    var ownKey: AdvertisingKeyRecord { engine.read(\.trust.devices.ownKey) }

    /// What is kept on disk.
    func kept() throws -> TrustedDevices {
        try TrustedDevices(from: directory, for: engine.identity, named: engine.trust.name, at: Moment.now.slot)
    }

    /// The number of what is advertised; nil for nothing.
    var advertisedNumber: AdvertisementNumber? { engine.edit { $0.origin.advance(to: .now).broadcast?.number } }

    var advertisement: Advertisement? { engine.advertising.current.value.advertisement }
    var effort: ScanPolicy.Effort { engine.scanning.current.value.effort }
    var scanning: ScanningDescription { engine.read(\.shownScanning).description }
    var nearby: [NearbyEntry] { engine.read { $0.nearby.table.all } }
}

/// The effects that the engine has shown, as short words.
final class RecordedEffects: EngineObserver {
    private let words = Mutex<[String]>([])
    /// Changes with every effect.
    let changes = CurrentValue(0)

    var all: [String] { words.withLock { $0 } }

    func clear() {
        words.withLock { $0 = [] }
    }

    func show(_ effect: Engine.Effect) {
        // They follow from others, and are examined by themselves.
        if case .scanningChanged = effect { return }
        if case .deviceHeard = effect { return }
        words.withLock { $0.append(Self.words(for: effect)) }
        changes.modify { $0 += 1 }
    }

    func deliver(_ stream: Engine.IncomingStream) async throws(HandoffError) {}

    private static func words(for effect: Engine.Effect) -> String {
        switch effect {
        case .activityAdded(let record): "added \(record.id)"
        case .activityChanged(_, let record): "changed \(record.id)"
        case .saveRequested(let record, _): "save \(record.id)"
        case .saveEnded(let id, let ending): "save of \(id) \(ending)"
        case .fetched(let id, _, let activity): "fetched \(id) \(activity.userInfo.count)"
        case .takeEnded(let record, _, let name, .continued): "continued \(record.id) by \(name)"
        case .takeEnded(let record, _, let name, .failed(let reason)): "\(record.id) failed by \(name): \(reason)"
        case .activityRemoved(let id): "removed \(id)"
        case .currentChanged(let old, let new):
            "current \(old.map(String.init) ?? "-") to \(new.map(String.init) ?? "-")"
        case .nearby(.added(let entry)): "nearby added \(entry.id)"
        case .nearby(.changed(let entry)): "nearby changed \(entry.id)"
        case .nearby(.removed(let entry)): "nearby removed \(entry.id)"
        case .deviceAdded(let device): "device \(device.name)"
        case .deviceChanged(let device): "device changed \(device.name)"
        case .deviceHeard(let device): "device heard \(device.name)"
        case .deviceRemoved: "device removed"
        case .circleChanged(let changes, _):
            "circle +\(changes.added.count) -\(changes.removed.count) ?\(changes.questions.count)"
        case .circleChangedHere(let changes, let hasLeft):
            hasLeft ? "left the circle" : "circle here +\(changes.added.count) -\(changes.removed.count)"
        case .identityChanged: "identity"
        case .radioChanged: "radio"
        case .scanningChanged: "scanning"
        case .pairingsChanged: "pairings"
        case .appsChanged: "apps"
        case .foldersChanged: "folders"
        case .settingsChanged: "settings"
        case .rulesChanged: "rules"
        case .withheldChanged: "withheld"
        }
    }
}

extension EngineActivities {
    /// Gives an activity new contents.
    func update(
        _ id: ActivityID,
        to activity: Activity,
        isEligible: Bool,
        by client: BusName
    ) throws(HandoffError) {
        try update(id, by: client) {
            $0.activity = activity
            $0.isEligible = isEligible
        }
    }
}

/// Another device, as far as its advertisements need it.
struct Peer {
    let device: DeviceIdentity
    let keys: DeviceKeys
    /// The key under which it advertises.
    let advertisingKey: AdvertisingKeyRecord

    /// - Parameter slot: the time at which its keys are those of the day.
    init(_ name: String, at slot: UInt64 = Moment.now.slot) throws {
        keys = .generate()
        advertisingKey = .generate(day: DailyKey.keptDay(at: slot))
        device = DeviceIdentity(publicKeys: keys.publicKeys, name: try DeviceName(name))
    }

    /// Signs a statement of this device.
    func sign(_ statement: CircleStatement) -> SignedStatement { SignedStatement(statement, signedBy: keys.signing) }

    /// Returns what this device sends: these statements, and its keys.
    func message(_ statements: [CircleStatement], knowing key: AdvertisingKeyRecord.ID? = nil) -> CircleMessage {
        CircleMessage(
            statements: statements.map { sign($0).bytes },
            digest: [UInt8](repeating: 0, count: 32),
            advertisingKey: advertisingKey.rawRepresentation,
            directedKey: [UInt8](repeating: 5, count: 32),
            knownKey: key?.bytes
        )
    }

    /// The report of an advertisement of this device; a withdrawal for a nil activity.
    ///
    /// Without an index, its number is 1 for `edit`, 2 for `draw`, 3 for any other type and 4 for a withdrawal.
    func advertisementReport(
        of name: String?,
        _ index: UInt16? = nil,
        hasWebpage: Bool = false,
        from address: RadioAddress = RadioAddress("C0:00:00:00:00:01/random")
    ) throws -> AdvertisementReport {
        let known: [String: UInt16] = ["edit": 1, "draw": 2]
        let payload = AdvertisementPayload(
            hasWebpage: hasWebpage,
            port: LEPSM(lowFiveBits: 0x10),
            typeHash: try name.map { try ActivityType("org.example.\($0)").hash },
            number: AdvertisementNumber(
                slot: Moment.now.slot,
                lowNineBits: index ?? name.map { known[$0] ?? 3 } ?? 4
            )
        )
        guard let sealer = AdvertisementSealer(key: .daily(advertisingKey.daily), slot: Moment.now.slot) else {
            preconditionFailure("a key of the present day reaches the present slot")
        }
        return AdvertisementReport(
            address: address,
            service: Engine.service,
            data: sealer.seal(payload.encode()),
            rssi: -60
        )
    }
}

extension Activity {
    /// An activity of the type `org.example.NAME`.
    static func sample(_ name: String = "edit", line: Int64 = 0) throws -> Activity {
        try Activity(type: ActivityType("org.example.\(name)"), userInfo: ["line": .integer(line)])
    }
}

extension LEPSM {
    static let sample = LEPSM(lowFiveBits: 1)
}

extension TrustedDevices.Device {
    /// The name and the keys of the device.
    var identity: DeviceIdentity { DeviceIdentity(publicKeys: publicKeys, name: name) }
}
