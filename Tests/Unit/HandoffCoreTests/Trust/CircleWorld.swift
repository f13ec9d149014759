import HandoffCore
import HandoffModel

/// Honest devices of one person, and lying ones that conspire: what they say while they are apart, who meets whom, and
/// what the person decides.
struct CircleWorld: Hashable {
    /// An honest device.
    struct Honest: Hashable {
        let device: FakeDevice
        var circle: Circle
        /// Counts the keys of this device; a new one is made whenever the set of trusted devices changes.
        var key = 0
        /// The devices that were not trusted when they were contested, until the person decides otherwise.
        var seenContested: Set<DeviceID> = []

        init(_ device: FakeDevice, _ limits: CircleLimits) {
            self.device = device
            circle = Circle(of: device.keys, limits: limits)
        }

        /// Changes the circle, and makes a new key when the set of trusted devices has changed.
        mutating func change(_ body: (inout Circle) -> Void) {
            let before = circle.trustedIDs
            body(&circle)
            if circle.trustedIDs != before { key += 1 }
            for member in circle.known {
                switch member.standing {
                case .removed, .disputed: seenContested.insert(member.id)
                case .trusted, .orphaned: break
                }
            }
        }
    }

    /// A key of an honest device.
    struct Key: Hashable {
        let owner: Int
        let number: Int
    }

    let limits: CircleLimits
    var honest: [Honest]
    /// The devices that lie, and those that they have made up; they share all that they know.
    let liars: [FakeDevice]
    /// Every statement that a liar has received or made.
    var pool: Set<SignedStatement> = []
    /// The keys that were told to a liar.
    var stolenKeys: Set<Key> = []

    init(honest: Int, liars: Int, limits: CircleLimits) throws {
        let devices = try (0..<UInt8(honest + liars)).map { try FakeDevice($0) }
        self.honest = devices.prefix(honest).map { Honest($0, limits) }
        self.limits = limits
        self.liars = Array(devices.dropFirst(honest))
    }

    /// Two honest devices are paired by their person.
    mutating func pair(_ one: Int, _ other: Int) {
        let (left, right) = (honest[one].device, honest[other].device)
        honest[one].change { try? $0.add(right.identity, sign: left.sign) }
        honest[other].change { try? $0.add(left.identity, sign: right.sign) }
    }

    /// The person pairs an honest device with a lying one, which was not known to lie.
    mutating func pair(_ one: Int, withLiar liar: Int) {
        let (own, other) = (honest[one].device, liars[liar])
        honest[one].change { try? $0.add(other.identity, sign: own.sign) }
        pool.insert(other.adds(own))
    }

    /// Two honest devices exchange their circles, if they trust each other.
    mutating func meet(_ one: Int, _ other: Int) {
        hear(other, from: one)
        hear(one, from: other)
    }

    /// An honest device takes in what another one says, if they trust each other; its own answer is lost.
    mutating func hear(_ one: Int, from other: Int) {
        guard trust(one, honest[other].device), trust(other, honest[one].device) else { return }
        let statements = honest[other].circle.statements
        honest[one].change { $0.hear(statements) }
    }

    /// A liar, or a device that it made up, exchanges with an honest device that trusts it: it learns all that the
    /// device knows and its key, and then says what it likes.
    mutating func lie(as liar: Int, to one: Int, _ statements: [SignedStatement]) {
        guard trust(one, liars[liar]) else { return }
        pool.formUnion(honest[one].circle.statements)
        pool.formUnion(statements)
        stolenKeys.insert(Key(owner: one, number: honest[one].key))
        honest[one].change { $0.hear(statements) }
    }

    /// The person removes a device on an honest one.
    mutating func remove(_ device: FakeDevice, by one: Int) {
        let own = honest[one].device
        guard honest[one].circle.knows(device.id) else { return }
        honest[one].change { try? $0.remove(device.id, sign: own.sign) }
    }

    /// The person renames a device on an honest one.
    mutating func rename(_ device: FakeDevice, to name: DeviceName, by one: Int) {
        let own = honest[one].device
        honest[one].change { try? $0.rename(device.id, to: name, sign: own.sign) }
    }

    /// The person decides on an honest device that another one is to be trusted.
    mutating func keep(_ device: FakeDevice, by one: Int) {
        let own = honest[one].device
        honest[one].seenContested.remove(device.id)
        honest[one].change { try? $0.keep(device.id, sign: own.sign) }
    }

    /// The person, who knows who lies, answers every question on every honest device and removes every liar, and the
    /// honest devices meet; until nothing changes.
    mutating func heal() {
        var before: CircleWorld?
        while before != self {
            before = self
            for one in honest.indices {
                for liar in liars where trust(one, liar) { remove(liar, by: one) }
                for other in honest where other.device != honest[one].device && !trust(one, other.device) {
                    if honest[one].circle.knows(other.device.id) { keep(other.device, by: one) }
                }
            }
            meetAll()
        }
    }

    mutating func meetAll() {
        for one in honest.indices {
            for other in honest.indices where other != one { meet(one, other) }
        }
    }

    func trust(_ one: Int, _ device: FakeDevice) -> Bool { honest[one].circle.trusts(device.id) }

    /// Whether any liar is trusted by an honest device.
    func trustsLiar(_ one: Int) -> Bool { liars.contains { trust(one, $0) } }
}
