package import Bluetooth
package import HandoffCrypto
package import HandoffModel
package import HandoffWire

extension DevicePublicKey {
    /// The id of the device that holds the private half.
    package var device: DeviceID {
        guard let id = try? DeviceID(bytes: deviceID) else { preconditionFailure("a digest has eight bytes") }
        return id
    }
}

extension ActivityType {
    /// The five bytes that represent the type in an advertisement.
    package var hash: ActivityTypeHash {
        guard let hash = try? ActivityTypeHash(bytes: HandoffDigest.activityTypeHash(rawValue)) else {
            preconditionFailure("a digest has five bytes")
        }
        return hash
    }
}

extension ActivityTypeHash {
    /// The type hash of a withdrawal advertisement; no known type has it.
    package static let withdrawal: ActivityTypeHash = {
        guard let hash = try? ActivityTypeHash(bytes: [0, 0, 0, 0, 0]) else { preconditionFailure("five bytes") }
        return hash
    }()
}

extension AdvertisementPayload {
    /// Creates the payload that advertises `content`, with the port at which it can be fetched.
    package init(_ content: AdvertisementPacer.Content, port: LEPSM) {
        let (hash, hasWebpage) =
            switch content {
            case .activity(let hash, let hasWebpage): (hash, hasWebpage)
            case .withdrawal: (ActivityTypeHash.withdrawal, false)
            }
        self.init(hasWebpage: hasWebpage, port: port, typeHash: hash)
    }
}
