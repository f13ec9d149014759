import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffRadio
import HandoffWire

@testable import HandoffDaemon

/// Devices of one person on an air, in virtual time: what they know of each other's keys, and who hears whom.
///
/// An advertisement is heard by those that are near and listen while it is sent. An exchange takes no time; it may be cut off
/// after any of its messages.
struct KeyWorld {
    var devices: [KeyDevice] = []
    /// The devices that are near each other.
    var near: Set<Int> = []
    /// How many messages of an exchange arrive before it is cut off.
    var messages = 3
    private(set) var uptime = Duration.seconds(1000)
    /// The keys that each device was told, whatever has become of it.
    private var told: [Set<AdvertisingKeyRecord.ID>] = []

    /// Noon of some day, by a right clock.
    private static let start: Int64 = 20_000 * 86_400_000_000 + 43_200_000_000

    /// The present moment by a right clock.
    var now: Moment {
        Moment(uptime: .zero, unixMicroseconds: Self.start).advanced(by: uptime)
    }

    /// Makes some devices that trust each other and have met.
    init(_ count: Int) throws {
        for number in 0..<count { try add(UInt8(number)) }
        for one in 0..<count {
            for other in 0..<one { try pair(one, other) }
        }
        near = Set(0..<count)
        try offer(Set(0..<count))
        try run(for: .seconds(120))
        near = []
        try offer([])
        try run(for: .seconds(40))
    }

    /// Adds a device that nobody knows.
    mutating func add(_ number: UInt8) throws {
        devices.append(try KeyDevice(number, at: now))
        told.append([])
    }

    /// The person pairs two devices by their cards.
    mutating func pair(_ one: Int, _ other: Int) throws {
        for (each, peer) in [(one, other), (other, one)] {
            let name = try DeviceName("device \(peer)")
            let device = DeviceIdentity(publicKeys: devices[peer].identity.keys.publicKeys, name: name)
            // Removed before, or by the other one: nothing changes.
            try? devices[each].change { try $0.devices.insert(device) }
            try devices[each].update(at: now)
        }
    }

    /// The person removes a device on another one, if that one knows it.
    mutating func remove(_ device: Int, on one: Int) throws {
        let id = devices[device].id
        try? devices[one].change { try $0.devices.remove(id) }
        try devices[one].update(at: now)
    }

    /// Exactly these devices have something to offer.
    mutating func offer(_ offering: Set<Int>) throws {
        for index in devices.indices { try devices[index].offer(offering.contains(index), at: now) }
    }

    /// Sets the clock of a device.
    mutating func setClock(of device: Int, ahead seconds: Int64) throws {
        devices[device].ahead = seconds * 1_000_000
        try devices[device].update(at: now)
    }

    // MARK: Time

    /// Lets time pass until `isOver`, but not longer than `limit`; returns how long it took, nil if it is not over then.
    @discardableResult
    mutating func run(for limit: Duration, until isOver: (KeyWorld) -> Bool = { _ in false }) throws -> Duration? {
        let (begin, end) = (uptime, uptime + limit)
        while !isOver(self) {
            guard uptime < end else { return nil }
            let next = devices.indices.flatMap { index in
                [devices[index].plans.deadline, listening(index)].compactMap(\.self)
            }
            uptime = min(next.filter { $0 > uptime }.min() ?? end, end)
            try advance()
        }
        return uptime - begin
    }

    /// When a device listens next; nil while it is near nobody.
    private func listening(_ index: Int) -> Duration? {
        near.count > 1 && near.contains(index) ? devices[index].nextListening(after: uptime) : nil
    }

    private mutating func advance() throws {
        let before = uptime - .milliseconds(1)
        let listeners = near.sorted().filter { devices[$0].nextListening(after: before) == uptime }
        for index in devices.indices { try devices[index].update(at: now) }
        for listener in listeners {
            for sender in near.sorted() where sender != listener {
                guard let advertisement = devices[sender].plans.advertising.advertisement else { continue }
                try devices[listener].hear(advertisement, from: devices[sender].address, at: now)
            }
            while let called = devices[listener].nextCall(at: now) {
                guard let index = near.first(where: { devices[$0].id == called }) else { continue }
                try exchange(listener, index)
            }
        }
    }

    // MARK: Exchanges

    /// A device calls another one that advertises; they exchange what they know (Docs/Circle.md), or a part of it.
    mutating func exchange(_ caller: Int, _ listener: Int) throws {
        let digest = devices[caller].trust.devices.digest
        guard devices[caller].trusts(devices[listener]), messages > 0,
            devices[listener].plans.advertising.advertisement != nil,
            let first = devices[listener].message(for: devices[caller], knowing: digest)
        else { return }
        try tell(first, from: listener, to: caller)
        guard messages > 1, let second = devices[caller].message(for: devices[listener], knowing: first.digest) else {
            return
        }
        try tell(second, from: caller, to: listener)
        guard let third = devices[listener].message(for: devices[caller], knowing: second.digest) else { return }
        let (one, other) = (devices[caller], devices[listener])
        try devices[listener].complete(with: one, sent: first.digest, theirs: second.digest, at: now)
        guard messages > 2 else { return }
        try tell(third, from: listener, to: caller)
        try devices[caller].complete(with: other, sent: second.digest, theirs: third.digest, at: now)
    }

    private mutating func tell(_ message: CircleMessage, from sender: Int, to receiver: Int) throws {
        told[receiver].insert(devices[sender].keyID)
        let device = devices[sender]
        guard devices[receiver].trusts(device) else { return }
        try devices[receiver].receive(message, from: device, at: now)
    }

    // MARK: Rules

    /// Returns which device has a key of another one that was made after that one had learnt of its removal; nil when all is
    /// well.
    var brokenSecret: String? {
        for one in devices.indices {
            for other in devices.indices where other != one && !devices[one].trusts(devices[other]) {
                if told[other].contains(devices[one].keyID) {
                    return "device \(other) reads what device \(one) advertises"
                }
            }
        }
        return nil
    }

    /// Whether each of these devices lists the activities of those of the others that offer something.
    func everyoneHears(_ offering: Set<Int>, among honest: Set<Int>) -> Bool {
        honest.allSatisfy { one in offering.subtracting([one]).allSatisfy { devices[one].lists(devices[$0]) } }
    }
}
