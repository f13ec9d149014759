import HandoffCore
import HandoffCrypto
import HandoffModel
import HandoffTestVectors

/// Devices, what they change while they are apart, and which ones meet, all of it determined by one seed.
struct CircleHistory {
    struct Device {
        let keys: DeviceKeys
        var circle = Circle()
        /// The keys that others have given to this device by hand.
        var givenKeys: [DeviceID: AdvertisingKey] = [:]
        var model = CircleModel()

        let id: DeviceID

        init(named name: String) throws {
            keys = .generate()
            id = keys.publicKeys.device
            let identity = DeviceIdentity(publicKeys: keys.publicKeys, name: try DeviceName(name))
            try circle.updateSelf(identity, key: keys.advertisingKey, speaking: 1)
            model.join(id, name: name, by: id)
        }

        func trusts(_ other: Device) -> Bool { circle[other.id] != nil }

        /// Whether this device can read what the other one advertises.
        func canRead(_ other: Device) -> Bool {
            let key = other.circle[other.id]?.advertisingKey
            return circle[other.id]?.advertisingKey == key || givenKeys[other.id] == key
        }

        /// The names of the members, for comparison with the model.
        var names: [DeviceID: String] {
            Dictionary(uniqueKeysWithValues: circle.members.map { ($0.id, $0.name.rawValue) })
        }
    }

    var devices: [Device]
    private var random: SeededRandom

    init(seed: UInt64, count: Int) throws {
        random = SeededRandom(seed: seed)
        devices = try (0..<count).map { try Device(named: "device \($0)") }
    }

    /// Performs one random event.
    mutating func step() throws {
        let (one, other) = pair()
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1: try join(one, other)
        case 2: try remove(other, by: one)
        case 3: try rename(Bool.random(using: &random) ? one : other, by: one)
        default: try meet(one, other, messages: Int.random(in: 1...4, using: &random))
        }
    }

    /// Lets every two devices meet, so often that every change has reached every device that is to have it.
    mutating func meetAll() throws {
        for _ in 0...devices.count {
            for one in devices.indices {
                for other in devices.indices where other != one { try meet(one, other, messages: 3) }
            }
        }
    }

    /// Whether the two would open a session with each other.
    func areFriends(_ one: Int, _ other: Int) -> Bool {
        devices[one].trusts(devices[other]) && devices[other].trusts(devices[one])
    }

    private mutating func pair() -> (Int, Int) {
        let one = Int.random(in: devices.indices, using: &random)
        let step = Int.random(in: 1..<devices.count, using: &random)
        return (one, (one + step) % devices.count)
    }

    private mutating func join(_ one: Int, _ other: Int) throws {
        let before = devices
        for (own, peer) in [(one, before[other]), (other, before[one])] {
            guard let member = peer.circle[peer.id] else { continue }
            let id = devices[own].id
            try devices[own].circle.insert(DeviceIdentity(publicKeys: member.publicKeys, name: member.name), by: id)
            devices[own].givenKeys[peer.id] = member.advertisingKey
            devices[own].model.join(peer.id, name: member.name.rawValue, by: id)
        }
    }

    private mutating func remove(_ other: Int, by one: Int) throws {
        guard devices[one].trusts(devices[other]) else { return }
        let id = devices[other].id
        try devices[one].circle.remove(id, as: devices[one].id, newKey: AdvertisingKey.generate)
        devices[one].model.remove(id)
    }

    private mutating func rename(_ other: Int, by one: Int) throws {
        guard devices[one].trusts(devices[other]) else { return }
        let name = "name \(Int.random(in: 0..<1000, using: &random))"
        let (id, author) = (devices[other].id, devices[one].id)
        try devices[one].circle.rename(id, to: try DeviceName(name), by: author)
        devices[one].model.rename(id, to: name, by: author)
    }

    /// An exchange, of which only `messages` arrive: the answer, the caller's state, the answerer's once more.
    private mutating func meet(_ caller: Int, _ listener: Int, messages: Int) throws {
        guard areFriends(caller, listener) else { return }
        for (to, from) in [(caller, listener), (listener, caller), (caller, listener)].prefix(messages) {
            let own = devices[to].id
            _ = try devices[to].circle.merge(devices[from].circle, as: own, newKey: AdvertisingKey.generate)
            devices[to].model.copy(devices[from].model)
        }
    }
}
