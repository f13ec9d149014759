import Bluetooth
import DBus
import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffRadio
import HandoffWire

@testable import HandoffDaemon

/// One device of a model: the daemon's state as it is shipped, its file, and a clock that may be wrong.
struct KeyDevice {
    let identity: Identity
    let address: RadioAddress
    private(set) var state: Engine.State
    /// What its file has.
    private(set) var file: CircleFile.Contents
    /// How far its clock is ahead, in microseconds.
    var ahead: Int64 = 0
    /// What it advertises, and how much it scans.
    private(set) var plans: Engine.Plans
    /// The day to which its keys were moved last.
    private var keptDay: UInt32?
    /// When its scanning began as it is now, as `uptime`.
    private var scanningSince: Duration

    private static let owner: BusName = ":1.1"

    /// Makes a device that knows no other one.
    init(_ number: UInt8, at right: Moment) throws {
        let identity = Identity(keys: .generate())
        let contents = CircleFile.Contents(of: identity, at: right.slot)
        try self.init(identity, contents, RadioAddress("C0:00:00:00:00:0\(number)/random"), ahead: 0, at: right)
    }

    private init(
        _ identity: Identity,
        _ contents: CircleFile.Contents,
        _ address: RadioAddress,
        ahead: Int64,
        at right: Moment
    ) throws {
        let now = Moment(uptime: right.uptime, unixMicroseconds: right.unixMicroseconds + ahead)
        let devices = TrustedDevices(contents, of: identity, at: now.slot)
        let pairing = try PairingState(PairingRecords(), for: identity, at: now)
        var state = Engine.State(trust: try TrustState(devices, at: now), pairing: pairing, at: now)
        state.radio.setState(.ready(RadioDescription(name: "model")))
        state.radio.port = .sample
        state.greet(at: now)
        (self.identity, self.address, self.ahead, file) = (identity, address, ahead, contents)
        plans = state.advance(to: now, since: nil)
        self.state = state
        scanningSince = right.uptime
        try update(at: right)
    }

    /// The device after a restart, with its file or another one that was its own once.
    func restarted(with other: CircleFile.Contents? = nil, at right: Moment) throws -> KeyDevice {
        try KeyDevice(identity, other ?? file, address, ahead: ahead, at: right)
    }

    var id: DeviceID { identity.id }
    var trust: TrustState { state.trust }
    /// The identifier of its advertising key.
    var keyID: AdvertisingKeyRecord.ID { state.trust.devices.ownKey.id }

    func trusts(_ other: KeyDevice) -> Bool { state.trust.devices[other.id] != nil }

    /// Whether it lists an activity of another device.
    func lists(_ other: KeyDevice) -> Bool { state.nearby.table.all.contains { $0.device == other.id } }

    /// The moment by its own clock.
    private func now(_ right: Moment) -> Moment {
        Moment(uptime: right.uptime, unixMicroseconds: right.unixMicroseconds + ahead)
    }

    // MARK: Events

    /// Does what the daemon's services do at that moment.
    mutating func update(at right: Moment) throws {
        let now = now(right)
        _ = state.nearby.table.expire(at: now)
        let effort = plans.scanning.effort
        plans = state.advance(to: now, since: state.origin.current?.id)
        if keptDay != DailyKey.keptDay(at: now.slot) {
            keptDay = DailyKey.keptDay(at: now.slot)
            try moveKeysForward(at: now)
            plans = state.advance(to: now, since: state.origin.current?.id)
        }
        if plans.scanning.effort != effort { scanningSince = right.uptime }
        state.dropEffects()
    }

    private mutating func moveKeysForward(at now: Moment) throws {
        let (before, earlier) = (state.trust.devices.contents, state.trust.earlierKeys)
        let replacement = try change { $0.moveForward(to: now, restoring: earlier) }
        state.trust.keepEarlierKeys(of: before, replacedBy: replacement)
    }

    /// Changes what is kept, as the engine does when the file was written.
    @discardableResult
    mutating func change<Result>(_ body: (inout KeptState) throws -> Result) throws -> Result {
        var kept = state.kept
        let result = try body(&kept)
        let changes = kept.devices.changes(since: state.trust.devices)
        try state.keep(kept)
        file = kept.devices.contents
        for removed in changes.removed { state.forget(removed.id) }
        return result
    }

    /// The person offers something, or nothing any more.
    mutating func offer(_ isOffering: Bool, at right: Moment) throws {
        let now = now(right)
        if let current = state.origin.current {
            if !isOffering { try state.origin.invalidate(current.id, by: Self.owner, at: now) }
        } else if isOffering {
            let id = try state.origin.create(.sample(), owner: Self.owner, isEligible: true).id
            try state.origin.becomeCurrent(id, by: Self.owner, at: now)
        }
        try update(at: right)
    }

    /// Somebody comes to the device, as by unlocking it.
    mutating func arrive(at right: Moment) throws {
        state.arrived(at: now(right))
        try update(at: right)
    }

    // MARK: On the air

    /// When it listens next after a moment, or nil when it does not: halfway through each window.
    func nextListening(after uptime: Duration) -> Duration? {
        let (period, offset): (Duration, Duration)
        switch plans.scanning.effort {
        case .none: return nil
        case .continuous: (period, offset) = (.milliseconds(500), .milliseconds(500))
        case .windows(let rest): (period, offset) = (ScanPolicy.window + rest, .milliseconds(500))
        }
        let first = scanningSince + offset
        guard first <= uptime else { return first }
        let passed = Int64((uptime - first) / period)
        return first + period * (passed + 1)
    }

    /// Hears an advertisement.
    mutating func hear(_ advertisement: Advertisement, from address: RadioAddress, at right: Moment) throws {
        let report = AdvertisementReport(
            address: address,
            service: advertisement.service,
            data: advertisement.data,
            rssi: nil
        )
        let now = now(right)
        guard let opened = state.open(report, at: now), let payload = opened.payload, opened.sender != .own else {
            return
        }
        state.receive(payload, from: opened.sender, in: report, at: now)
        try update(at: right)
    }

    /// The next device that it calls for an exchange.
    mutating func nextCall(at right: Moment) -> DeviceID? { state.nextCircleUpdate(at: now(right))?.device.id }

    /// What it tells another device; nil if it does not trust that one.
    func message(for other: KeyDevice, knowing digest: [UInt8]?) -> CircleMessage? {
        state.trust.devices.message(for: other.id, knowing: digest)
    }

    /// Takes in what another device has told.
    mutating func receive(_ message: CircleMessage, from other: KeyDevice, at right: Moment) throws {
        try change { try $0.devices.receive(message, from: other.id) }
        try update(at: right)
    }

    /// An exchange with another device is completed.
    mutating func complete(with other: KeyDevice, sent: [UInt8], theirs: [UInt8], at right: Moment) throws {
        try change { $0.devices.completeExchange(with: other.id, sent: sent, theirs: theirs) }
        state.trust.confirmed.complete(with: other.id, at: right.uptime)
        try update(at: right)
    }
}
