package import HandoffCrypto
package import HandoffModel

/// A known device of a circle.
package struct Member: Hashable, Sendable {
    package let keys: DevicePublicKeys
    package let name: DeviceName
    /// The trusted device that brought it, this device before others; nil when none is trusted.
    package let introducedBy: DeviceID?
    package let standing: DeviceStanding

    /// The device's id.
    package var id: DeviceID { keys.device }
}
