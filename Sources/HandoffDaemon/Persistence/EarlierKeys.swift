import HandoffCrypto
import HandoffModel

/// All keys of a device as they were before the clock moved them to another day.
///
/// The clock may be set right soon, as by a time server after a login: then they are used again. They are in memory only,
/// and only as long as ``ClockSteps`` says that the clock may be wrong.
struct EarlierKeys: Sendable {
    /// This device's own key; nil when it has become one that never comes back.
    private var ownKey: AdvertisingKeyRecord?
    private var peers: [DeviceID: CircleFile.Peer.Keys]
    /// The key that has taken the place of this device's own because that did not reach the day.
    var replacement: AdvertisingKeyRecord.ID?

    /// Keeps the keys of a state.
    init(of contents: CircleFile.Contents) {
        ownKey = contents.ownKey
        peers = contents.peers.mapValues(\.keys)
    }

    /// Puts these keys in the place of those that follow from them, or that a wrong clock has put in theirs.
    ///
    /// A key that was replaced for another reason, because somebody has joined or was removed, stays replaced; so does this
    /// device's own key once another device has said that it has the one that took its place.
    func restore(in contents: inout CircleFile.Contents, at slot: UInt64) {
        for (id, earlier) in peers { contents.peers[id]?.restore(earlier) }
        guard let ownKey, ownKey.daily.reaches(slot), isReplacedByClock(ownKey, in: contents) else { return }
        contents.ownKey = ownKey
        for (id, earlier) in peers {
            if let receivingKey = earlier.receivingKey { contents.peers[id]?.receivingKey = receivingKey }
        }
    }

    /// Keeps the keys that a device tells while the clock may be wrong as they are: the present ones are moved to its day, from
    /// which no key leads back.
    ///
    /// - Parameters:
    ///   - told: the key under which it advertises to all.
    ///   - sendingKey: the key under which this device addresses it.
    ///   - id: the device.
    mutating func take(_ told: AdvertisingKeyRecord, sendingKey: DailyKey, from id: DeviceID) {
        peers[id, default: CircleFile.Peer.Keys()].take(told, sendingKey: sendingKey)
    }

    /// Forgets this device's own key, and what goes with it, because a device that is not trusted any more may have it.
    mutating func forgetOwnKey() { (ownKey, replacement) = (nil, nil) }

    /// Forgets the keys of all devices but these.
    mutating func keepOnly(_ devices: [DeviceID]) { peers = peers.filter { devices.contains($0.key) } }

    /// Keeps, of another state, the keys that these do not have.
    mutating func add(_ contents: CircleFile.Contents) {
        ownKey = ownKey ?? contents.ownKey
        peers.merge(contents.peers.mapValues(\.keys)) { earlier, _ in earlier }
    }

    private func isReplacedByClock(_ ownKey: AdvertisingKeyRecord, in contents: CircleFile.Contents) -> Bool {
        let present = contents.ownKey.id
        guard present != ownKey.id else { return true }
        return present == replacement && !contents.peers.values.contains { $0.knownKey == present }
    }
}

extension CircleFile.Peer {
    /// The keys that a device and this one have told each other.
    struct Keys: Hashable, Sendable {
        fileprivate var key: AdvertisingKeyRecord?
        fileprivate var sendingKey: DailyKey?
        /// Nil for a device that was not known before.
        fileprivate var receivingKey: DailyKey?

        /// Takes the keys that the other device tells; where there is a key from which they follow, that one stays, whichever
        /// of the two clocks is wrong.
        fileprivate mutating func take(_ told: AdvertisingKeyRecord, sendingKey toldSendingKey: DailyKey) {
            key = key?.joined(with: told) ?? told
            sendingKey = sendingKey.flatMap { $0.leads(to: toldSendingKey) ? $0 : nil } ?? toldSendingKey
        }
    }

    var keys: Keys { Keys(key: key, sendingKey: sendingKey, receivingKey: receivingKey) }

    /// Takes the keys that the other device tells, unless they follow from those that this one has.
    mutating func take(_ told: AdvertisingKeyRecord, sendingKey toldSendingKey: DailyKey) {
        var keys = keys
        keys.take(told, sendingKey: toldSendingKey)
        (key, sendingKey) = (keys.key, keys.sendingKey)
    }

    /// Puts the other device's keys of an earlier day in the place of those that follow from them.
    fileprivate mutating func restore(_ earlier: Keys) {
        if let earlierKey = earlier.key, let present = key { key = earlierKey.joined(with: present) }
        if let earlierKey = earlier.sendingKey, let present = sendingKey, earlierKey.leads(to: present) {
            sendingKey = earlierKey
        }
    }
}
