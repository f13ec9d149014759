package import HandoffCrypto
package import HandoffModel

/// A device that belongs to a circle.
package struct Member: Hashable, Sendable {
    package let publicKey: DevicePublicKey
    /// The number of times that it was removed and trusted again.
    package internal(set) var generation: UInt32
    /// The device that trusted it first; nil when unknown.
    package internal(set) var introducedBy: DeviceID?
    /// The name as it was stated, which is passed on unchanged.
    package internal(set) var statedName: StatedName
    /// The number of changes of the name.
    package internal(set) var nameVersion: UInt32
    /// The device on which it was given this name.
    package internal(set) var namedBy: DeviceID
    /// The advertising key from the device's own copy of the circle; nil until that was received.
    ///
    /// A given key is not stored here: it would be passed on without the removals that its owner knew of when it made
    /// the key, and could reach a removed device.
    package internal(set) var advertisingKey: AdvertisingKey?
    /// The number of changes of the key, 0 when there is none; only the device itself increases it.
    package internal(set) var advertisingKeyVersion: UInt32
    /// The protocol version that it supports; 0 when unknown.
    package internal(set) var protocolVersion: UInt32

    /// The device's id.
    package var id: DeviceID { publicKey.device }

    /// The device's name, as it is shown.
    package var name: DeviceName { statedName.name(of: id) }

    init(_ identity: DeviceIdentity, generation: UInt32, introducedBy: DeviceID?) {
        publicKey = identity.publicKey
        self.generation = generation
        self.introducedBy = introducedBy
        statedName = StatedName(identity.name)
        nameVersion = 0
        namedBy = identity.id
        advertisingKeyVersion = 0
        protocolVersion = 0
    }

    mutating func rename(to name: DeviceName, by author: DeviceID) {
        statedName = StatedName(name)
        nameVersion = Swift.min(nameVersion + 1, CircleLimits.number)
        namedBy = author
    }

    mutating func renewKey(to key: AdvertisingKey) {
        advertisingKey = key
        advertisingKeyVersion = Swift.min(advertisingKeyVersion + 1, CircleLimits.number)
    }

    /// Merges two descriptions of the device in one generation.
    ///
    /// The later name wins, or of two with equal versions the one whose author has the higher id; likewise the later
    /// key, the introducer with the lowest id, and the highest protocol version. Remaining ties are broken by comparing
    /// the bytes, so that all devices choose the same.
    func joined(with other: Member) -> Member {
        var result = precedes(other) ? other : self
        if (nameVersion, namedBy, statedName) > (other.nameVersion, other.namedBy, other.statedName) {
            (result.statedName, result.nameVersion, result.namedBy) = (statedName, nameVersion, namedBy)
        } else {
            (result.statedName, result.nameVersion, result.namedBy) = (
                other.statedName, other.nameVersion, other.namedBy
            )
        }
        result.introducedBy = [introducedBy, other.introducedBy].compactMap(\.self).min()
        result.protocolVersion = max(protocolVersion, other.protocolVersion)
        return result
    }

    /// Returns whether the other's key is later.
    private func precedes(_ other: Member) -> Bool {
        guard advertisingKeyVersion == other.advertisingKeyVersion else {
            return advertisingKeyVersion < other.advertisingKeyVersion
        }
        let (own, others) = (advertisingKey?.rawRepresentation ?? [], other.advertisingKey?.rawRepresentation ?? [])
        return own.lexicographicallyPrecedes(others)
    }
}
