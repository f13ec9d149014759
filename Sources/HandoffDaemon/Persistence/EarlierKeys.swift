import HandoffCrypto
import HandoffModel

/// All keys of a device as they were before the clock moved them to another day, and those that others have told meanwhile.
///
/// The clock may be set right soon, as by a time server after a login: then they are used again. They are in memory only,
/// and only as long as ``ClockSteps`` says that the clock may be wrong.
struct EarlierKeys: Sendable {
    /// This device's own key; nil when it has become one that never comes back.
    private var ownKey: AdvertisingKeyRecord?
    private var peers: [DeviceID: CircleFile.Peer.Keys] = [:]
    /// The key that has taken the place of this device's own because that did not reach the day.
    var replacement: AdvertisingKeyRecord.ID?

    /// Keeps no key.
    init() {}

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

    /// Keeps the keys that a device has told while the clock may be wrong.
    mutating func take(_ told: CircleFile.Peer.Keys, from id: DeviceID) {
        peers[id, default: CircleFile.Peer.Keys()].take(told)
    }

    /// Forgets this device's own key, and what goes with it, because a device that is not trusted any more may have it.
    mutating func forgetOwnKey() { (ownKey, replacement) = (nil, nil) }

    /// Forgets the keys of all devices but these.
    mutating func keepOnly(_ devices: [DeviceID]) { peers = peers.filter { devices.contains($0.key) } }

    /// Keeps, of another state, the keys that these do not have.
    mutating func add(_ contents: CircleFile.Contents) {
        ownKey = ownKey ?? contents.ownKey
        peers.merge(contents.peers.mapValues(\.keys)) { $0.completed(by: $1) }
    }

    private func isReplacedByClock(_ ownKey: AdvertisingKeyRecord, in contents: CircleFile.Contents) -> Bool {
        let present = contents.ownKey.id
        guard present != ownKey.id else { return true }
        return present == replacement && !contents.peers.values.contains { $0.knownKey == present }
    }
}

extension CircleFile.Peer {
    /// The keys that a device and this one have told each other; nil for each that is not known.
    struct Keys: Hashable, Sendable {
        var key: AdvertisingKeyRecord?
        var sendingKey: DailyKey?
        var receivingKey: DailyKey?

        /// Takes the keys that the other device tells; where there is a key from which they follow, that one stays, whichever
        /// of the two clocks is wrong.
        mutating func take(_ told: Keys) {
            if let told = told.key { key = key?.joined(with: told) ?? told }
            if let told = told.sendingKey {
                sendingKey = sendingKey.flatMap { $0.leads(to: told) ? $0 : nil } ?? told
            }
        }

        /// Returns these keys, with those of `other` where one is not known.
        func completed(by other: Keys) -> Keys {
            Keys(
                key: key ?? other.key,
                sendingKey: sendingKey ?? other.sendingKey,
                receivingKey: receivingKey ?? other.receivingKey
            )
        }
    }

    var keys: Keys { Keys(key: key, sendingKey: sendingKey, receivingKey: receivingKey) }

    /// Takes the keys that the other device tells, unless they follow from those that this one has.
    mutating func take(_ told: AdvertisingKeyRecord, sendingKey toldSendingKey: DailyKey) {
        var keys = keys
        keys.take(Keys(key: told, sendingKey: toldSendingKey))
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
