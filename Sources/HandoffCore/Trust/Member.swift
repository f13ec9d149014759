package import HandoffCrypto
package import HandoffModel

/// A device as it comes into a circle.
package struct DeviceIdentity: Hashable, Sendable {
    package let publicKey: DevicePublicKey
    package let name: DeviceName

    package init(publicKey: DevicePublicKey, name: DeviceName) {
        self.publicKey = publicKey
        self.name = name
    }
}

/// A device that belongs to a circle.
package struct Member: Hashable, Sendable {
    package let publicKey: DevicePublicKey
    /// How often it was removed and trusted anew.
    package internal(set) var generation: UInt32
    /// Who trusted it first; nil when nobody says.
    package internal(set) var introducedBy: DeviceID?
    package internal(set) var name: DeviceName
    /// Counts the changes of the name.
    package internal(set) var nameVersion: UInt32
    /// Who gave it this name.
    package internal(set) var namedBy: DeviceID
    /// What the device itself has said in its own state; nil until that has come.
    ///
    /// A key that was given by hand does not stand here: it would travel without the removals that its owner knew of when
    /// it made the key, to somebody who was removed.
    package internal(set) var advertisingKey: AdvertisingKey?
    /// Counts the changes of the key, 0 when there is none; only the device itself raises it.
    package internal(set) var advertisingKeyVersion: UInt32
    /// The version of the protocol that it speaks; 0 when nobody knows.
    package internal(set) var protocolVersion: UInt32

    /// The device's id.
    package var id: DeviceID { publicKey.device }

    init(_ identity: DeviceIdentity, generation: UInt32, introducedBy: DeviceID?) {
        publicKey = identity.publicKey
        self.generation = generation
        self.introducedBy = introducedBy
        name = identity.name
        nameVersion = 0
        namedBy = identity.publicKey.device
        advertisingKeyVersion = 0
        protocolVersion = 0
    }

    mutating func rename(to name: DeviceName, by author: DeviceID) {
        self.name = name
        nameVersion = Swift.min(nameVersion + 1, Circle.maximumNumber)
        namedBy = author
    }

    mutating func renewKey(to key: AdvertisingKey) {
        advertisingKey = key
        advertisingKeyVersion = Swift.min(advertisingKeyVersion + 1, Circle.maximumNumber)
    }

    /// What two descriptions of the device in one generation say together.
    ///
    /// The later name counts, of two equally late ones the one whose author has the higher id; the later key; the first
    /// introducer by id; the highest protocol. What is still equal after that is settled by the bytes themselves, so that
    /// everybody chooses the same.
    func joined(with other: Member) -> Member {
        var result = precedes(other) ? other : self
        if (nameVersion, namedBy, name.rawValue) > (other.nameVersion, other.namedBy, other.name.rawValue) {
            (result.name, result.nameVersion, result.namedBy) = (name, nameVersion, namedBy)
        } else {
            (result.name, result.nameVersion, result.namedBy) = (other.name, other.nameVersion, other.namedBy)
        }
        result.introducedBy = [introducedBy, other.introducedBy].compactMap(\.self).min()
        result.protocolVersion = max(protocolVersion, other.protocolVersion)
        return result
    }

    /// Whether the other's key is later.
    private func precedes(_ other: Member) -> Bool {
        guard advertisingKeyVersion == other.advertisingKeyVersion else {
            return advertisingKeyVersion < other.advertisingKeyVersion
        }
        let (own, others) = (advertisingKey?.rawRepresentation ?? [], other.advertisingKey?.rawRepresentation ?? [])
        return own.lexicographicallyPrecedes(others)
    }
}
