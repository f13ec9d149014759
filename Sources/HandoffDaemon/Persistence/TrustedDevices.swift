package import HandoffCore
package import HandoffCrypto
package import HandoffModel

/// The devices that this one trusts: the other members of its circle, kept in the state directory.
package struct TrustedDevices: Sendable {
    /// One trusted device.
    package struct Device: Hashable, Sendable {
        package let id: DeviceID
        package let name: DeviceName
        package let publicKey: DevicePublicKey
        /// The key that was given by hand, or else the one that the circle knows; nil when neither has come yet.
        package let advertisingKey: AdvertisingKey?
    }

    /// The largest number of devices; each costs the scanner work for every advertisement heard.
    package static let maximumCount = Circle.maximumMembers - 1

    let directory: StateDirectory
    var contents: CircleFile.Contents
    /// This device, once ``setOwnIdentity(_:name:)`` has said which it is.
    var ownID: DeviceID?
    /// By what others tell whether they know the same.
    var digest: [UInt8] = []
    /// The members that may not know the present state, in the order of their ids.
    private(set) var lagging: [DeviceID] = []
    /// Whether the others have known a later state of this device than itself, in this run of the daemon.
    var isOutdated = false

    /// The devices in `directory`; none when the file is not there yet.
    ///
    /// - Throws: ``HandoffError`` when the file cannot be read or is damaged; it stays as it is.
    package init(from directory: StateDirectory) throws(HandoffError) {
        self.directory = directory
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

    /// The device with that id, if it is trusted.
    package subscript(id: DeviceID) -> Device? { id == ownID ? nil : contents.circle[id].map(device) }

    /// Trusts a device, or takes over the new name and advertising key of one that is trusted already.
    ///
    /// The key was given by hand. It is used here, and not passed on: others get it with the device's own state, so that
    /// nobody gets a key without the removals that its owner knows of.
    ///
    /// - Throws: ``HandoffError`` when there are too many, or the file cannot be written; then nothing has changed.
    package mutating func insert(_ device: Device) throws(HandoffError) {
        guard self[device.id] != nil || all.count < Self.maximumCount else {
            throw HandoffError(
                .limitReached,
                "\(Self.maximumCount) devices are trusted, which is the most; remove one of them first."
            )
        }
        try replace { draft throws(HandoffError) in
            let identity = DeviceIdentity(publicKey: device.publicKey, name: device.name)
            try draft.contents.circle.insert(identity, by: draft.ownID)
            draft.contents.peers[device.id, default: .init()].givenKey = device.advertisingKey?.rawRepresentation
            // Its card may be another's copy: what it knows is asked anew.
            draft.contents.peers[device.id]?.digest = nil
        }
    }

    /// Ends the trust in a device everywhere, and makes this device's advertisements unreadable for it.
    ///
    /// - Throws: ``HandoffError`` when it is not trusted, or the file cannot be written; then nothing has changed.
    package mutating func remove(_ id: DeviceID) throws(HandoffError) {
        guard self[id] != nil else {
            throw HandoffError(.unknownDevice, "No trusted device has the id \(id); see `handoffctl devices`.")
        }
        try replace { draft throws(HandoffError) in
            draft.contents.peers[id] = nil
            guard let own = draft.ownID else { return try draft.contents.circle.remove(id) }
            try draft.contents.circle.remove(id, as: own, newKey: AdvertisingKey.generate)
        }
    }

    /// The keys under which these devices may advertise to the whole circle: up to two for each, the one given by hand and the
    /// one that the circle knows.
    var receivingKeys: [(DeviceID, AdvertisingKey)] {
        contents.circle.members.filter { $0.id != ownID }.flatMap { member in
            Set([member.advertisingKey, givenKey(of: member.id)].compactMap(\.self)).map { (member.id, $0) }
        }
    }

    /// Finds out which of these devices calls.
    ///
    /// - Throws: ``HandoffError`` with `stateDamaged` when one of them has a key that protects nothing.
    package func trial(for identity: Identity) throws(HandoffError) -> NoiseResponderTrial<DeviceID> {
        try Self.trial(of: all, for: identity, failure: .stateDamaged)
    }

    /// Refuses a device whose key protects nothing, before it is kept.
    ///
    /// - Throws: ``HandoffError`` with `invalidCard`.
    package static func checkKey(of device: Device, for identity: Identity) throws(HandoffError) {
        _ = try trial(of: [device], for: identity, failure: .invalidCard)
    }

    /// Changes the draft of a state, keeps it durably, and only then believes it.
    mutating func replace(_ change: (inout TrustedDevices) throws(HandoffError) -> Void) throws(HandoffError) {
        var draft = self
        try change(&draft)
        draft.summarize()
        try CircleFile.write(draft.contents, to: directory)
        self = draft
    }

    /// Brings what follows from the contents in line with them.
    mutating func summarize() {
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
            publicKey: member.publicKey,
            advertisingKey: givenKey(of: member.id) ?? member.advertisingKey
        )
    }

    static func trial(
        of devices: [Device],
        for identity: Identity,
        failure: HandoffError.Code
    ) throws(HandoffError) -> NoiseResponderTrial<DeviceID> {
        do {
            return try NoiseResponderTrial(
                localStatic: identity.keys.agreement,
                candidates: devices.map { ($0.id, $0.publicKey) }
            )
        } catch {
            throw HandoffError(failure, error.message)
        }
    }
}

extension TrustedDevices.Device {
    /// The device of a public key; its id follows from it.
    package init(name: DeviceName, publicKey: DevicePublicKey, advertisingKey: AdvertisingKey) {
        self.init(id: publicKey.device, name: name, publicKey: publicKey, advertisingKey: advertisingKey)
    }
}
