package import HandoffCore
package import HandoffCrypto
package import HandoffModel

/// The devices that this one trusts: the other members of its circle.
///
/// A value; the engine keeps it in the state directory.
package struct TrustedDevices: Sendable {
    /// A trusted device.
    package struct Device: Hashable, Sendable {
        package let id: DeviceID
        package let name: DeviceName
        package let publicKeys: DevicePublicKeys
        /// The given key, or else the one that the circle knows; nil when neither has arrived yet.
        package let advertisingKey: AdvertisingKey?
    }

    /// The maximum number of devices; each costs the scanner work for every advertisement heard.
    package static let maximumCount = CircleLimits.members - 1

    private(set) var contents: CircleFile.Contents
    /// The id of this device, once ``setOwnIdentity(_:name:)`` has set it.
    var ownID: DeviceID?
    /// The circle digest, by which two devices find out whether they know the same state.
    var digest: [UInt8] = []
    /// The members that may not know the present state, in the order of their ids.
    private(set) var lagging: [DeviceID] = []
    /// Whether the other devices have known a later state of this device than itself, in this run of the daemon.
    var isOutdated = false

    /// Loads the devices in `directory`; none when the file does not exist yet.
    ///
    /// - Throws: ``HandoffError`` when the file cannot be read or is damaged; the file is not changed.
    package init(from directory: StateDirectory) throws(HandoffError) {
        contents = try CircleFile.read(from: directory)
        summarize()
    }

    /// All devices, by name.
    package var all: [Device] {
        contents.circle.members.filter { $0.id != ownID }.map(device).sorted {
            ($0.name.rawValue, $0.id.description) < ($1.name.rawValue, $1.id.description)
        }
    }

    package var isEmpty: Bool { !contents.circle.members.contains { $0.id != ownID } }

    /// Returns the device with that id, if it is trusted.
    package subscript(id: DeviceID) -> Device? { id == ownID ? nil : contents.circle[id].map(device) }

    /// Trusts a device, or updates the name and the given key of one that is trusted already.
    ///
    /// The given key is used here, and not passed on: other devices get it in the device's own circle, so that no
    /// device gets a key without the removals that its owner knows of.
    ///
    /// - Throws: ``HandoffError`` with `limitReached` when there are too many; then nothing has changed.
    package mutating func insert(_ device: Device) throws(HandoffError) {
        guard self[device.id] != nil || all.count < Self.maximumCount else {
            throw HandoffError(
                .limitReached,
                "\(Self.maximumCount) devices are trusted, which is the maximum; remove one of them first."
            )
        }
        try edit { [ownID] contents throws(HandoffError) in
            let identity = DeviceIdentity(publicKeys: device.publicKeys, name: device.name)
            try contents.circle.insert(identity, by: ownID)
            contents.peers[device.id, default: .init()].givenKey = device.advertisingKey?.rawRepresentation
            // The card may be another device's copy, so the state of the circle that the device knows is asked for
            // again.
            contents.peers[device.id]?.digest = nil
        }
    }

    /// Removes a device from the circle, and makes this device's advertisements unreadable for it.
    ///
    /// - Throws: ``HandoffError`` with `unknownDevice` when it is not trusted; then nothing has changed.
    package mutating func remove(_ id: DeviceID) throws(HandoffError) {
        guard self[id] != nil else {
            throw HandoffError(.unknownDevice, "No trusted device has the id \(id); see `handoffctl devices`.")
        }
        try edit { [ownID] contents throws(HandoffError) in
            contents.peers[id] = nil
            guard let ownID else { return try contents.circle.remove(id) }
            try contents.circle.remove(id, as: ownID, newKey: AdvertisingKey.generate)
        }
    }

    /// The keys under which these devices may advertise to the whole circle: up to two for each, the given key and the
    /// one that the circle knows.
    var receivingKeys: [(DeviceID, AdvertisingKey)] {
        contents.circle.members.filter { $0.id != ownID }.flatMap { member in
            Set([member.advertisingKey, givenKey(of: member.id)].compactMap(\.self)).map { (member.id, $0) }
        }
    }

    /// Whether the same devices and this one use the same keys in `other`.
    func hasSameKeys(as other: TrustedDevices) -> Bool { keys == other.keys }

    private var keys: [DeviceID: Set<AdvertisingKey>] {
        var keys: [DeviceID: Set<AdvertisingKey>] = [:]
        for member in contents.circle.members {
            keys[member.id] = Set([member.advertisingKey, givenKey(of: member.id)].compactMap(\.self))
        }
        return keys
    }

    /// Returns the trial that finds out which of these devices is the caller.
    ///
    /// - Throws: ``HandoffError`` with `stateDamaged` when one of them has insecure public keys.
    package func trial(for identity: Identity) throws(HandoffError) -> NoiseResponderTrial<DeviceID> {
        do {
            return try NoiseResponderTrial(
                localStatic: identity.keys.agreement,
                candidates: all.map { ($0.id, $0.publicKeys.agreement) }
            )
        } catch {
            throw HandoffError(.stateDamaged, error.message)
        }
    }

    /// Changes the contents, and recomputes what is derived from them.
    ///
    /// - Throws: what `change` throws; then nothing has changed.
    mutating func edit<Failure: Error>(_ change: (inout CircleFile.Contents) throws(Failure) -> Void) throws(Failure) {
        var draft = contents
        try change(&draft)
        contents = draft
        summarize()
    }

    private mutating func summarize() {
        digest = contents.circle.digest
        lagging = contents.circle.members.map(\.id).filter(hasUpdate)
    }

    private func givenKey(of id: DeviceID) -> AdvertisingKey? {
        contents.peers[id]?.givenKey.flatMap { try? AdvertisingKey(rawRepresentation: $0) }
    }

    private func device(_ member: Member) -> Device {
        Device(
            id: member.id,
            name: member.name,
            publicKeys: member.publicKeys,
            advertisingKey: givenKey(of: member.id) ?? member.advertisingKey
        )
    }
}

extension TrustedDevices.Device {
    /// Creates a device from its public keys, from which its id is computed.
    package init(name: DeviceName, publicKeys: DevicePublicKeys, advertisingKey: AdvertisingKey) {
        self.init(id: publicKeys.device, name: name, publicKeys: publicKeys, advertisingKey: advertisingKey)
    }
}
