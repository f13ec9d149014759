package import HandoffCrypto
package import HandoffModel
package import HandoffRadio
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
    package init(_ content: AdvertisementPacer.Content, port: ChannelPort) {
        let (hash, hasWebpage) =
            switch content {
            case .activity(let hash, let hasWebpage): (hash, hasWebpage)
            case .withdrawal: (ActivityTypeHash.withdrawal, false)
            }
        guard
            let payload = try? AdvertisementPayload(
                hasWebpage: hasWebpage,
                port: UInt8(truncatingIfNeeded: port.rawValue),
                typeHash: hash
            )
        else { preconditionFailure("a channel port is 0x80…0xFF, as an advertised one") }
        self = payload
    }
}
