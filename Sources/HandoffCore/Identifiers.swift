package import HandoffCrypto
package import HandoffModel

extension DevicePublicKey {
    /// The id of the device that holds the private half.
    package var deviceName: DeviceID { identifier }

    private var identifier: DeviceID {
        guard let id = try? DeviceID(bytes: deviceID) else { preconditionFailure("a digest has eight bytes") }
        return id
    }
}

extension ActivityType {
    /// The five bytes that stand for the type in an advertisement.
    package var hash: ActivityTypeHash {
        guard let hash = try? ActivityTypeHash(bytes: HandoffDigest.activityTypeHash(rawValue)) else {
            preconditionFailure("a digest has five bytes")
        }
        return hash
    }
}
